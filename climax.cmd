@echo off
rem Runs climax from this clone, with Deno if it is on PATH, and else with Node.js alone.
setlocal
rem Else cmd.exe runs programs of the current folder
set "NoDefaultCurrentDirectoryInExePath=1"
set "CLIMAX_LAUNCHER=%~0"
set "DENO_NO_UPDATE_CHECK=1"
set "CLIMAX_LINE=run -qP --unstable-lazy-dynamic-imports --v8-flags=--min-semi-space-size=16,--invocation-count-for-maglev=200,--minimum-invocations-after-ic-update=200"

rem Where npx has put Deno, in a folder of this user
set "kept=%LOCALAPPDATA%\climax\deno-2.9.6"
set "deno="
if defined LOCALAPPDATA if exist "%kept%" set /p deno=<"%kept%"
if defined deno if exist "%deno%" goto run

rem In no folder that is relative, below the current one or of a project's packages. The home folder is no project
set "deno="
set "npx="
set "safe="
set "here=%CD%\"
if /i "%CD%"=="%USERPROFILE%" set "here=\\none\"
set "folders=%PATH:"=%"
for %%P in ("%folders:;=" "%") do call :look "%%~P"
if defined deno "%deno%" --version 2>nul | "%SystemRoot%\System32\findstr.exe" /r /c:"^deno 2\.9\." /c:"^deno 2\.[1-9][0-9]\." >nul
if defined deno if not errorlevel 1 goto run
if not defined npx (
  echo error: climax needs Deno 2.9 or newer, or Node.js with npx: neither is on PATH>&2
  exit /b 4
)

echo climax: looking for Deno with npx, which downloads it the first time>&2
rem From the clone: node_modules and .npmrc where the person is may choose another program
set "deno="
set "given=%PATH%"
set "PATH=%safe%"
set "npm_config_update_notifier=false"
pushd "%~dp0"
for /f "usebackq delims=" %%D in (`""%npx%" -y --prefer-offline deno@2.9.6 eval --no-config "console.log(Deno.execPath())" <nul"`) do set "deno=%%D"
popd
set "PATH=%given%"
if not defined deno exit /b 4
if defined LOCALAPPDATA (
  if not exist "%LOCALAPPDATA%\climax" mkdir "%LOCALAPPDATA%\climax" 2>nul
  >"%kept%" echo %deno%
)

:run
"%deno%" %CLIMAX_LINE% "%~dp0main.ts" %*
exit /b %errorlevel%

:look
set "folder=%~1"
if not defined folder exit /b
if not "%folder:~1,2%"==":\" if not "%folder:~0,2%"=="\\" exit /b
set "full=%~f1\"
if not "%full:\node_modules\.bin\=%"=="%full%" exit /b
if not "%full:\.venv\Scripts\=%"=="%full%" exit /b
if not "%full:\venv\Scripts\=%"=="%full%" exit /b
call set "rest=%%full:%here%=%%"
if not "%rest%"=="%full%" exit /b
set "safe=%safe%%~f1;"
if not defined deno if exist "%full%deno.exe" set "deno=%full%deno.exe"
if not defined npx if exist "%full%npx.cmd" set "npx=%full%npx.cmd"
exit /b
