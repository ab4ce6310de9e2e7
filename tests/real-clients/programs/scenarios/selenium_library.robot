*** Settings ***
Documentation       SeleniumLibrary at the gateway's address, with the key in the capabilities.

Library             OperatingSystem
Library             SeleniumLibrary    timeout=15s

Suite Setup         Open At Gateway
Suite Teardown      Close All Browsers


*** Variables ***
&{OWN}      key=%{KEY}    proxy=%{PROXY}    headless=${True}


*** Keywords ***
Open At Gateway
    ${options}=    Evaluate    selenium.webdriver.ChromeOptions()    modules=selenium.webdriver
    Call Method    ${options}    set_capability    turnpike:options    ${OWN}
    Open Browser    %{SITE}/    chrome    remote_url=%{GATEWAY}    options=${options}


*** Test Cases ***
navigate
    Go To    %{SITE}/second
    Go To    %{SITE}/
    Go Back
    Title Should Be    Second
    Go To    %{SITE}/
    Reload Page
    Location Should Be    %{SITE}/

find
    ${buttons}=    Get WebElements    tag:button
    Length Should Be    ${buttons}    3
    Element Text Should Be    id:press    Press

click
    Click Button    id:press
    Element Text Should Be    id:press    pressed

type
    Input Text    id:name    Ada
    Textfield Value Should Be    id:name    Ada

frames
    Select Frame    id:frame
    Click Button    id:inside
    Element Text Should Be    id:inside    inner
    Unselect Frame

windows
    Click Link    id:second
    Switch Window    title:Second
    Close Window
    Switch Window    MAIN

alerts
    Click Button    id:ask
    Input Text Into Alert    Ada
    Element Text Should Be    id:out    Ada

upload
    Choose File    id:letter    %{SCRATCH}/letter.txt
    Wait Until Element Contains    id:out    letter.txt: dear all

upload 80 MB
    Choose File    id:letter    %{SCRATCH}/large.bin
    Wait Until Element Contains    id:size    80000000

screenshot
    ${path}=    Capture Page Screenshot    %{SCRATCH}/page.png
    File Should Not Be Empty    ${path}

PDF
    ${path}=    Print Page As PDF    %{SCRATCH}/page.pdf
    File Should Not Be Empty    ${path}

cookies
    Add Cookie    flavour    oat
    Go To    %{SITE}/cookies
    Element Text Should Be    tag:body    flavour=oat
    ${cookie}=    Get Cookie    flavour
    Should Be Equal    ${cookie.value}    oat
