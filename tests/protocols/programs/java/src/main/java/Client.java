import com.microsoft.playwright.APIResponse;
import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Download;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Playwright for Java over connect(), as docs/protocols.md has it. */
public class Client {
  public static void main(String[] arguments) throws Exception {
    String site = System.getenv("SITE");
    Path scratch = Files.createTempDirectory("client");
    Playwright.CreateOptions options = new Playwright.CreateOptions();
    options.setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1"));
    try (Playwright playwright = Playwright.create(options)) {
      Browser browser = playwright.chromium().connect(System.getenv("PLAYWRIGHT_URL"));
      BrowserContext context = browser.contexts().get(0);
      Page page = context.newPage();
      page.navigate(site + "/");
      say("title", page.title());
      page.setContent("<button onclick=\"this.textContent = 'pressed'\">x</button><input id=name><input id=letter type=file>");
      page.click("button");
      page.locator("#name").pressSequentially("Ada");
      say("pressed", page.textContent("button"));
      say("typed", page.inputValue("#name"));
      page.onceDialog(dialog -> dialog.accept("yes"));
      say("dialog", (String) page.evaluate("prompt('?')"));
      Path letter = scratch.resolve("letter.txt");
      Files.write(letter, "dear all".getBytes(StandardCharsets.UTF_8));
      page.setInputFiles("#letter", letter);
      say("uploaded", (String) page.evaluate("document.querySelector('#letter').files[0].text()"));
      Download download = page.waitForDownload(() -> page.evaluate("Object.assign(document.createElement('a'), {"
          + " href: URL.createObjectURL(new Blob(['the report'])), download: 'report.txt' }).click()"));
      download.saveAs(scratch.resolve("report.txt"));
      say("downloaded", new String(Files.readAllBytes(scratch.resolve("report.txt")), StandardCharsets.UTF_8));
      say("picture", new String(page.screenshot(), 1, 3, StandardCharsets.ISO_8859_1));
      page.route("**/made-up", route -> route.fulfill(new com.microsoft.playwright.Route.FulfillOptions().setBody("from the client")));
      page.navigate(site + "/made-up");
      say("intercepted", page.textContent("body"));
      APIResponse answer = context.request().get(site + "/echo");
      say("request", Integer.toString(answer.status()));
      page.close();
      browser.close();
    }
  }

  private static void say(String name, String value) {
    System.out.println("outcome " + name + ": " + value);
  }
}
