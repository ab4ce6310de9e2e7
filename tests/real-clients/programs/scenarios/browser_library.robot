*** Settings ***
Documentation       Browser library over Playwright's connect, at the gateway's own address: it creates a session.

Library             Browser    timeout=15s
Library             OperatingSystem
Library             String

Suite Setup         Connect To Gateway


*** Keywords ***
Connect To Gateway
    ${asked}=    Evaluate    urllib.parse.urlencode({'token': os.environ['KEY'], 'proxy': os.environ['PROXY']})
    ...    modules=urllib.parse,os
    ${gateway}=    Replace String    %{GATEWAY}    http    ws    count=1
    Connect To Browser    ${gateway}/playwright?${asked}&headless=true    chromium
    New Context    acceptDownloads=True
    New Page    %{SITE}/


*** Test Cases ***
navigate
    Go To    %{SITE}/second
    Go To    %{SITE}/
    Go Back
    Get Title    ==    Second
    Go Forward
    Reload
    Get Url    ==    %{SITE}/

find
    Get Element Count    button    ==    3
    Get Text    "Press"    ==    Press

click
    Click    id=press
    Get Text    id=press    ==    pressed

type
    Type Text    id=name    Ada
    Get Property    id=name    value    ==    Ada

frames
    Click    id=frame >>> id=inside
    Get Text    id=frame >>> id=inside    ==    inner

windows
    ${first}=    Switch Page    CURRENT
    Click    id=second
    Switch Page    NEW
    Get Title    ==    Second
    Close Page
    Switch Page    ${first}

alerts
    Handle Future Dialogs    accept    Ada
    Click    id=ask
    Get Text    id=out    ==    Ada

upload
    Upload File By Selector    id=letter    %{SCRATCH}/letter.txt
    Get Text    id=out    ==    letter.txt: dear all

upload 80 MB
    Upload File By Selector    id=letter    %{SCRATCH}/large.bin
    Get Text    id=size    ==    80000000

download
    ${report}=    Promise To Wait For Download    saveAs=%{SCRATCH}/saved.txt
    Click    id=report
    Wait For    ${report}
    ${text}=    Get File    %{SCRATCH}/saved.txt
    Should Be Equal    ${text}    the report

screenshot
    ${path}=    Take Screenshot    %{SCRATCH}/page
    File Should Not Be Empty    ${path}

PDF
    ${path}=    Save Page As Pdf    %{SCRATCH}/page.pdf
    File Should Not Be Empty    ${path}

log
    Click    id=log
    ${lines}=    Get Console Log
    Should Be Equal    ${lines[-1]['text']}    a line

cookies
    Add Cookie    flavour    oat    url=%{SITE}
    Go To    %{SITE}/cookies
    Get Text    body    ==    flavour=oat
    ${cookie}=    Get Cookie    flavour
    Should Be Equal    ${cookie.value}    oat

contexts
    New Context
    New Page    %{SITE}/cookies
    Get Text    body    ==    ${EMPTY}
    Close Context
