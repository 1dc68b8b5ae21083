#!/bin/sh
# A Codex CLI whose account doesn't have the model that is asked for first.
echo $$ >>"${0%/*}/pids"
cat >/dev/null
case " $* " in
*' --model=gpt-5.3-codex-spark '*)
  echo '{"type":"turn.started"}'
  echo '{"type":"turn.failed","error":{"message":"{\"detail\":\"The model is not supported when using Codex with a ChatGPT account.\"}"}}'
  exit 1
  ;;
esac
echo '{"type":"item.completed","item":{"type":"agent_message","text":"{\"new_proposal\":true,\"verification_reported\":false}"}}'
