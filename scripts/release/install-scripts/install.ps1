<#
.SYNOPSIS
Installs thv for this user on Windows, from a folder of downloads, after its SHA-256 was compared. Needs no administrator.
.PARAMETER From
http(s) address or folder that holds SHA256SUMS and the archives; {version} in it is replaced. The variable THV_DOWNLOADS does the same.
.PARAMETER Version
The version to install, for example 0.2.0.
.PARAMETER Prefix
The folder to install into. Default: %LOCALAPPDATA%\Programs\thv.
.PARAMETER Uninstall
Removes what this script installed. Servers and settings stay.
#>
[CmdletBinding()]
param([string]$From, [string]$Version, [string]$Prefix, [switch]$Uninstall)

Set-StrictMode -Version 2.0
$ErrorActionPreference = 'Stop'
# The progress bar of Windows PowerShell makes a download many times slower.
$ProgressPreference = 'SilentlyContinue'

# Filled in by `npm run release`.
$DefaultAddress = ''
$DefaultVersion = ''
# NAME=SHA256 of the archive of that version: who changes the archive has to change this script, too.
$DefaultHashes = ''

# Bounds of a download, in bytes and seconds.
$MaximumArchive = 512MB
$MaximumList = 1MB
$Seconds = 1800

function Stop-Install([string]$Message, [string]$Hint) {
    [Console]::Error.WriteLine("Error: $Message")
    if ($Hint) { [Console]::Error.WriteLine("Hint: $Hint") }
    $script:IsExplained = $true
    throw 'thv was not installed.'
}

function Save-File([string]$Name, [string]$Path, [long]$Maximum) {
    if ($script:Address -notmatch '^https?://') {
        $source = Join-Path $script:Address $Name
        if (-not (Test-Path -LiteralPath $source -PathType Leaf)) {
            Stop-Install "$source does not exist." 'Name the folder that holds SHA256SUMS: -From FOLDER'
        }
        if ((Get-Item -LiteralPath $source).Length -gt $Maximum) { Stop-Install "$source is larger than expected." 'Check -From.' }
        Copy-Item -LiteralPath $source -Destination $Path
        return
    }
    $source = "$($script:Address)/$Name"
    Add-Type -AssemblyName System.Net.Http
    $client = [System.Net.Http.HttpClient]::new()
    $client.Timeout = [TimeSpan]::FromSeconds(60)
    $clock = [System.Diagnostics.Stopwatch]::StartNew()
    $target = $null
    try {
        $mode = [System.Net.Http.HttpCompletionOption]::ResponseHeadersRead
        $response = $client.GetAsync($source, $mode).GetAwaiter().GetResult()
        if (-not $response.IsSuccessStatusCode) {
            Stop-Install "$source could not be downloaded: the answer was $([int]$response.StatusCode)." 'Check the address, or use a mirror: -From ADDRESS'
        }
        $expected = $response.Content.Headers.ContentLength
        $stream = $response.Content.ReadAsStreamAsync().GetAwaiter().GetResult()
        $target = [System.IO.File]::Create($Path)
        $buffer = New-Object byte[] 65536
        $written = [long]0
        while ($true) {
            $reading = $stream.ReadAsync($buffer, 0, $buffer.Length)
            if (-not $reading.Wait(60000) -or $clock.Elapsed.TotalSeconds -gt $Seconds) {
                Stop-Install "The download of $source took too long." 'Run the same command again, or use a mirror: -From ADDRESS'
            }
            $count = $reading.Result
            if ($count -eq 0) { break }
            $written += $count
            if ($written -gt $Maximum) { Stop-Install "$source is larger than expected." 'Check the address: -From ADDRESS' }
            $target.Write($buffer, 0, $count)
        }
        if ($null -ne $expected -and $written -ne $expected) {
            Stop-Install "The download of $source ended early: $written of $expected bytes arrived." 'Run the same command again.'
        }
    }
    catch {
        if ($script:IsExplained) { throw }
        Stop-Install "$source could not be downloaded: $($_.Exception.GetBaseException().Message)" 'Check the address and your network, or use a mirror: -From ADDRESS'
    }
    finally {
        if ($null -ne $target) { $target.Dispose() }
        $client.Dispose()
    }
}

function Get-Expected([string]$List, [string]$Archive) {
    foreach ($line in Get-Content -LiteralPath $List) {
        if ($line -match '^([0-9a-f]{64}) [ *](.+)$' -and $Matches[2] -eq $Archive) { return $Matches[1] }
    }
    $others = @(Get-Content -LiteralPath $List | Where-Object { $_ -match ' [ *]thv_(.+)_windows_amd64\.zip$' } | ForEach-Object { $Matches[1] })
    $there = if ($others.Count -gt 0) { $others -join ' ' } else { 'none' }
    Stop-Install "SHA256SUMS at $($script:Address) has no $Archive." "Versions there for this system: $there"
}

# Only what this script wrote is replaced or removed.
function Assert-Owner([string]$Folder) {
    if (-not (Test-Path -LiteralPath $Folder)) { return }
    $note = Join-Path $Folder 'installation.json'
    if ((Test-Path -LiteralPath $note) -and (Get-Content -Raw -LiteralPath $note) -match '"install-script"') { return }
    Stop-Install "$Folder exists and was not put there by this script." 'Move it away, or choose another folder: -Prefix FOLDER'
}

# A running thv.exe cannot be written to, but it can be renamed.
function Move-IntoPlace([string]$Source, [string]$Target) {
    foreach ($file in Get-ChildItem -LiteralPath $Source -File) {
        $place = Join-Path $Target $file.Name
        if (Test-Path -LiteralPath $place) {
            $old = "$place.old"
            if (Test-Path -LiteralPath $old) { Remove-Item -LiteralPath $old -Force }
            Rename-Item -LiteralPath $place -NewName "$($file.Name).old"
            try { Move-Item -LiteralPath $file.FullName -Destination $place }
            catch { Rename-Item -LiteralPath $old -NewName $file.Name; throw }
            Remove-Item -LiteralPath $old -Force -ErrorAction SilentlyContinue
        }
        else { Move-Item -LiteralPath $file.FullName -Destination $place }
    }
}

function Show-Path([string]$Folder) {
    $places = @($env:PATH -split ';' | Where-Object { $_ } | ForEach-Object { $_.TrimEnd('\') })
    if ($places -notcontains $Folder) {
        $quoted = $Folder.Replace("'", "''")
        Write-Output "Your PATH does not have $Folder. This adds it for new terminals:"
        Write-Output "  [Environment]::SetEnvironmentVariable('Path', [Environment]::GetEnvironmentVariable('Path', 'User') + ';$quoted', 'User')"
    }
    foreach ($other in @(Get-Command thv -All -CommandType Application -ErrorAction SilentlyContinue)) {
        if ((Split-Path -Parent $other.Source) -ne $Folder) {
            Write-Output "Another thv is installed: $($other.Source). Remove the one you do not want; thv doctor shows both."
        }
    }
}

function Install-Thv([string]$Folder, [string]$Number) {
    $work = Join-Path (Split-Path -Parent $Folder) ".thv-install-$([guid]::NewGuid().ToString('N'))"
    try {
        try { New-Item -ItemType Directory -Force -Path $work | Out-Null }
        catch { Stop-Install "$(Split-Path -Parent $Folder) cannot be written to: $($_.Exception.Message)" 'Choose another folder: -Prefix FOLDER' }
        $archive = "thv_${Number}_windows_amd64.zip"
        $own = $DefaultHashes.Split(' ') | Where-Object { $_.StartsWith("$archive=") } | Select-Object -First 1
        if ($own) {
            $sourceOfHash = 'this script'
            $expected = $own.Substring($archive.Length + 1)
        } else {
            $sourceOfHash = 'SHA256SUMS'
            if ($DefaultHashes) { Write-Output "The SHA-256 of $archive comes from $($script:Address) itself; install.ps1 of that version has it, too." }
            $list = Join-Path $work 'SHA256SUMS'
            Save-File 'SHA256SUMS' $list $MaximumList
            $expected = Get-Expected $list $archive
        }
        Write-Output "Downloading $archive from $($script:Address)"
        $packed = Join-Path $work $archive
        Save-File $archive $packed $MaximumArchive
        $got = (Get-FileHash -Algorithm SHA256 -LiteralPath $packed).Hash.ToLowerInvariant()
        if ($got -ne $expected) {
            Stop-Install "$archive is not the file that $sourceOfHash describes, so nothing was installed.`n  expected $expected`n  got      $got" "Run the same command again. If it says the same, tell whoever keeps $($script:Address)."
        }
        $new = Join-Path $work 'new'
        Expand-Archive -LiteralPath $packed -DestinationPath $new
        & (Join-Path $new 'thv.exe') version | Out-Null
        if ($LASTEXITCODE -ne 0) { Stop-Install "The thv.exe of $archive does not start here." 'It needs Windows 10 or newer on x64.' }
        [System.IO.File]::WriteAllText((Join-Path $new 'installation.json'), "{`"channel`":`"install-script`"}`n")
        New-Item -ItemType Directory -Force -Path $Folder | Out-Null
        Move-IntoPlace $new $Folder
    }
    finally {
        if (Test-Path -LiteralPath $work) { Remove-Item -Recurse -Force -LiteralPath $work -ErrorAction SilentlyContinue }
    }
    Write-Output "Installed thv ${Number}: $Folder"
    Write-Output "To undo it: Remove-Item -Recurse '$($Folder.Replace("'", "''"))'"
    Show-Path $Folder
}

$script:IsExplained = $false
$number = if ($Version) { $Version -replace '^v', '' } else { $DefaultVersion }
$script:Address = if ($From) { $From } elseif ($env:THV_DOWNLOADS) { $env:THV_DOWNLOADS } else { $DefaultAddress }
try {
    $base = if ($Prefix) { $Prefix } else { Join-Path $env:LOCALAPPDATA 'Programs\thv' }
    $folder = $ExecutionContext.SessionState.Path.GetUnresolvedProviderPathFromPSPath($base).TrimEnd('\')
    if ($Uninstall) {
        if (Test-Path -LiteralPath $folder) {
            Assert-Owner $folder
            Remove-Item -Recurse -Force -LiteralPath $folder
            Write-Output "Removed $folder. Your servers and settings are still there."
        }
        else { Write-Output "thv is not installed in ${folder}: there is nothing to do." }
        return
    }
    if (-not $number) { Stop-Install 'No version was named.' 'Add for example: -Version 0.2.0' }
    if ($number -notmatch '^[0-9A-Za-z.+-]+$') { Stop-Install "$number is not a version." 'Write it like 0.2.0' }
    if (-not $script:Address) { Stop-Install 'No address to download from was named.' 'Add: -From ADDRESS' }
    if ($env:OS -ne 'Windows_NT') { Stop-Install 'This script is for Windows.' 'Elsewhere run install.sh.' }
    $script:Address = $script:Address.Replace('{version}', $number).TrimEnd('/')
    if ($script:Address -match '^http://(?!(localhost|127\.0\.0\.1)[:/])') {
        Write-Output "Warning: nothing proves that what comes from $($script:Address) was not changed on the way. Use an https address where there is one."
    }
    Assert-Owner $folder
    Install-Thv $folder $number
}
catch {
    if (-not $script:IsExplained) { [Console]::Error.WriteLine("Error: $($_.Exception.Message)") }
    # `exit` would close the terminal of someone who ran this with iex.
    $global:LASTEXITCODE = 1
}
