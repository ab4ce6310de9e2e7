// go-rod, as docs/connecting.md has it.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/cdp"
)

func main() {
	cdpURL, site, letter := os.Getenv("CDP_URL"), os.Getenv("SITE"), os.Getenv("LETTER")
	outcome := map[string]any{}

	browser, socket := connect(cdpURL)
	page := browser.MustPage(site + "/").MustWaitLoad()
	page.MustElement("#press").MustClick()
	page.MustElement("#name").MustInput("Ada")
	page.MustElement("#report").MustClick()
	// The path is the browser's: what the files API put there.
	page.MustElement("#letter").MustSetFiles(letter)
	page.MustWait("() => document.querySelector('#out').textContent !== ''")
	outcome["uploaded"] = page.MustElement("#out").MustText()
	outcome["picture"] = string(page.MustScreenshot()[1:4])
	second := browser.MustPage(site + "/second").MustWaitLoad()
	outcome["second"] = second.MustInfo().Title
	// Not browser.Close, which ends the session.
	_ = socket.Close()

	browser, socket = connect(cdpURL)
	tabs := 0
	for _, each := range browser.MustPages() {
		url := each.MustInfo().URL
		if strings.HasPrefix(url, site) {
			tabs++
		}
		if url == site+"/" {
			outcome["pressed"] = each.MustElement("#press").MustText()
			outcome["filled"] = each.MustElement("#name").MustProperty("value").Str()
		}
	}
	outcome["tabs"] = tabs
	_ = socket.Close()
	line, _ := json.Marshal(outcome)
	fmt.Println(string(line))
}

func connect(cdpURL string) (*rod.Browser, *cdp.WebSocket) {
	socket := &cdp.WebSocket{}
	if err := socket.Connect(context.Background(), cdpURL, nil); err != nil {
		panic(err)
	}
	return rod.New().Client(cdp.New().Start(socket)).NoDefaultDevice().MustConnect(), socket
}
