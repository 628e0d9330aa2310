#!/usr/bin/env bash
# What the page tests need beside Python: Debian's Chromium with a Chinese font, and two npm packages from the lock file.
# Installs only where it may (as root, or by npm into node_modules); elsewhere it says what to run, and the tests skip.
set -euo pipefail
cd "$(dirname "$0")/.."

install() {
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@" >/dev/null
  else
    echo "browser: $* not installed; the tests that need it skip. Run: sudo apt-get install $*" >&2
  fi
}

command -v chromium >/dev/null 2>&1 || install chromium fonts-noto-cjk
command -v npm >/dev/null 2>&1 || install npm
if command -v npm >/dev/null 2>&1; then
  if [ ! -d node_modules ] || [ package-lock.json -nt node_modules ]; then
    npm ci --ignore-scripts --silent
    touch node_modules
  fi
fi
