# Installs climax @VERSION@ on Windows, after its archive was compared with the SHA-256 below:
#
#   irm @DOWNLOADS@/v@VERSION@/install.ps1 | iex
#
# It changes no settings and needs no administrator. CLIMAX_INSTALL_DIR names another folder.

& {
  $ErrorActionPreference = 'Stop'
  $ProgressPreference = 'SilentlyContinue'
  $archive = 'climax-@VERSION@-x86_64-pc-windows-msvc.zip'
  $expected = '@SUM@'
  $folder = if ($env:CLIMAX_INSTALL_DIR) { $env:CLIMAX_INSTALL_DIR } else {
    Join-Path $env:LOCALAPPDATA 'Programs\climax'
  }
  if ($env:PROCESSOR_ARCHITECTURE -notin 'AMD64', 'ARM64') {
    throw "There is no climax for Windows on $env:PROCESSOR_ARCHITECTURE"
  }
  $downloads = Join-Path ([IO.Path]::GetTempPath()) ([Guid]::NewGuid())
  [void](New-Item -ItemType Directory $downloads)
  try {
    $file = Join-Path $downloads $archive
    Invoke-WebRequest -UseBasicParsing '@DOWNLOADS@/v@VERSION@/climax-@VERSION@-x86_64-pc-windows-msvc.zip' -OutFile $file
    $found = (Get-FileHash -Algorithm SHA256 $file).Hash
    if ($found -ne $expected) {
      throw "$archive is not what was released: its SHA-256 is '$found', expected '$expected'"
    }
    Expand-Archive $file $downloads
    $program = Join-Path $downloads 'climax.exe'
    [void](& $program --version)
    if ($LASTEXITCODE -ne 0) { throw 'climax does not start here' }
    [void](New-Item -ItemType Directory -Force $folder)
    Move-Item -Force $program (Join-Path $folder 'climax.exe')
    Write-Output "climax @VERSION@ is installed: $folder\climax.exe"
    if (($env:PATH -split ';') -notcontains $folder) {
      Write-Output "The folder is not on PATH. Add it in the settings of Windows: $folder"
    }
  } finally {
    Remove-Item -Recurse -Force $downloads
  }
}
