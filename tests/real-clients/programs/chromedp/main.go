// chromedp, as docs/connecting.md has it.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"
)

func main() {
	cdpURL, site, letter := os.Getenv("CDP_URL"), os.Getenv("SITE"), os.Getenv("LETTER")
	outcome := map[string]any{}

	first, disconnect := connect(cdpURL)
	check(chromedp.Do(first,
		chromedp.Navigate(site+"/"),
		chromedp.Click(chromedp.CSS("#press")),
		chromedp.SendKeys(chromedp.CSS("#name"), "Ada"),
		chromedp.Click(chromedp.CSS("#report")),
		chromedp.SetUploadFiles(chromedp.CSS("#letter"), []string{letter}),
	))
	outcome["uploaded"] = run(first, chromedp.Poll[string]("document.querySelector('#out').textContent"))
	outcome["picture"] = string(run(first, chromedp.CaptureScreenshot())[1:4])
	second, _ := chromedp.NewContext(first, chromedp.WithDetachOnCancel())
	check(chromedp.Do(second, chromedp.Navigate(site+"/second")))
	outcome["second"] = run(second, chromedp.Title())
	disconnect()

	looking, disconnect := connect(cdpURL)
	defer disconnect()
	check(chromedp.Do(looking))
	targets, err := chromedp.Targets(looking)
	check(err)
	tabs := 0
	var shop target.ID
	for _, each := range targets {
		if each.Type != "page" {
			continue
		}
		if strings.HasPrefix(each.URL, site) {
			tabs++
		}
		if each.URL == site+"/" {
			shop = each.TargetID
		}
	}
	outcome["tabs"] = tabs
	again, _ := chromedp.NewContext(looking, chromedp.WithTargetID(shop), chromedp.WithDetachOnCancel())
	outcome["pressed"] = run(again, chromedp.Text(chromedp.CSS("#press")))
	outcome["filled"] = run(again, chromedp.Value(chromedp.CSS("#name")))
	line, err := json.Marshal(outcome)
	check(err)
	fmt.Println(string(line))
}

// The URL as it is: chromedp would look for /json/version at its host and port. And tabs stay when it leaves.
func connect(cdpURL string) (context.Context, context.CancelFunc) {
	allocator, disconnect := remote.NewAllocator(context.Background(), cdpURL, remote.NoModifyURL)
	ctx, _ := chromedp.NewContext(allocator, chromedp.WithDetachOnCancel())
	return ctx, disconnect
}

func run[T any](ctx context.Context, action chromedp.Action[T]) T {
	value, err := chromedp.Run(ctx, action)
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
