@echo off
rem Runs climax from this clone, with Deno if it is on PATH, and else with Node.js alone.
setlocal
set "CLIMAX_LAUNCHER=%~0"
set "DENO_NO_UPDATE_CHECK=1"
set "CLIMAX_LINE=run -qP --unstable-lazy-dynamic-imports --v8-flags=--min-semi-space-size=16,--invocation-count-for-maglev=200,--minimum-invocations-after-ic-update=200"
deno --version 2>nul | findstr /r /c:"^deno 2\.9\." /c:"^deno 2\.[1-9][0-9]\." >nul
if not errorlevel 1 (
  deno %CLIMAX_LINE% "%~dp0main.ts" %*
) else (
  set "npm_config_update_notifier=false"
  call npx -y --prefer-offline deno@2.9.6 %CLIMAX_LINE% "%~dp0main.ts" %*
)
exit /b %errorlevel%
