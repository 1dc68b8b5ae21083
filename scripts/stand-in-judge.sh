#!/bin/sh
# A stand-in for a judge, so that scripts/try.sh costs nothing. It is no model and understands nothing: it answers
# "violation" unless the text under judgement holds one of a few words that the samples of try.sh use for the opposite.
text=$(sed -n '/^--- text-begin ---$/,/^--- text-end ---$/p')
case $text in
    *passed* | *"you asked"* | *"as you"* | *because* | *reproduced*) new=false ;;
    *) new=true ;;
esac
printf '{"new_proposal":%s,"verification_reported":false,"direction_query":false,"future_step_description":false,' "$new"
printf '"retraction_or_quote":false,"reason":"This is the stand-in judge: it goes by a few words."}\n'
