#!/usr/bin/env bash
# Make the environment in .venv from the lock file: with uv where it is there, else with uv fetched by pip into .venv.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}

if command -v uv >/dev/null 2>&1; then
  uv=uv
else
  if [ ! -x .venv/bin/uv ]; then
    if ! "$python" -m venv .venv 2>.venv-error; then
      # Debian keeps ensurepip in a package of its own.
      if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        apt-get update -qq && apt-get install -y -qq python3-venv >/dev/null
        "$python" -m venv .venv
      else
        cat .venv-error >&2
        echo "setup: no virtual environment could be made. Install python3-venv (sudo apt-get install python3-venv), then make again." >&2
        exit 1
      fi
    fi
    rm -f .venv-error
    .venv/bin/python -m pip install --quiet uv
  fi
  uv=.venv/bin/uv
fi

UV_PROJECT_ENVIRONMENT=.venv "$uv" sync --frozen --inexact --quiet
touch .venv/.ready
