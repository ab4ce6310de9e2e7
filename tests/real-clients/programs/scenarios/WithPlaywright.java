import com.google.gson.Gson;
import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.Cookie;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Playwright for Java over connect(), at the gateway's own address: it creates a session. */
public class WithPlaywright {
  interface Scenario {
    void run() throws Exception;
  }

  static final Map<String, String> outcome = new LinkedHashMap<>();

  static void scenario(String name, Scenario scenario) {
    try {
      scenario.run();
      outcome.put(name, "ok");
    } catch (Throwable error) {
      outcome.put(name, String.valueOf(error));
    }
  }

  static void equal(Object actual, Object expected) {
    if (!Objects.equals(actual, expected)) throw new AssertionError(actual + " is not " + expected);
  }

  static String env(String name) {
    return System.getenv(name);
  }

  static String encoded(String name) {
    return URLEncoder.encode(env(name), StandardCharsets.UTF_8);
  }

  public static void main(String[] args) {
    String site = env("SITE");
    Path scratch = Path.of(env("SCRATCH"));
    String gateway = env("GATEWAY").replaceFirst("http", "ws");
    var asked = "token=" + encoded("KEY") + "&proxy=" + encoded("PROXY") + "&headless=true";
    // Without the variable it downloads browsers, which this client does not use.
    var options = new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1"));
    try (Playwright playwright = Playwright.create(options)) {
      Browser browser = playwright.chromium().connect(gateway + "/playwright?" + asked);
      BrowserContext context = browser.contexts().get(0);
      Page page = context.newPage();

      scenario("navigate", () -> {
        page.navigate(site + "/second");
        page.navigate(site + "/");
        page.goBack();
        equal(page.title(), "Second");
        page.goForward();
        page.reload();
        equal(page.url(), site + "/");
      });
      scenario("find", () -> {
        equal(page.locator("button").count(), 3);
        equal(page.getByText("Press").textContent(), "Press");
      });
      scenario("click", () -> {
        page.click("#press");
        equal(page.textContent("#press"), "pressed");
      });
      scenario("type", () -> {
        page.getByLabel("Name").pressSequentially("Ada");
        equal(page.inputValue("#name"), "Ada");
      });
      scenario("frames", () -> {
        var inside = page.frameLocator("#frame").locator("#inside");
        inside.click();
        equal(inside.textContent(), "inner");
      });
      scenario("windows", () -> {
        Page popup = page.waitForPopup(() -> page.click("#second"));
        popup.waitForLoadState();
        equal(popup.title(), "Second");
        popup.close();
      });
      scenario("alerts", () -> {
        page.onceDialog((dialog) -> dialog.accept("Ada"));
        page.click("#ask");
        page.waitForFunction("out.textContent === 'Ada'");
      });
      scenario("upload", () -> {
        page.setInputFiles("#letter", scratch.resolve("letter.txt"));
        page.waitForFunction("out.textContent === 'letter.txt: dear all'");
      });
      scenario("upload 80 MB", () -> {
        page.setInputFiles("#letter", scratch.resolve("large.bin"));
        page.waitForFunction("document.querySelector('#size').textContent === '80000000'");
      });
      scenario("download", () -> {
        var download = page.waitForDownload(() -> page.click("#report"));
        download.saveAs(scratch.resolve("saved.txt"));
        equal(Files.readString(scratch.resolve("saved.txt")), "the report");
      });
      scenario("screenshot", () -> equal(new String(page.screenshot(), 1, 3, "ISO-8859-1"), "PNG"));
      scenario("PDF", () -> equal(new String(page.pdf(), 0, 5, "ISO-8859-1"), "%PDF-"));
      scenario("intercept", () -> {
        page.route("**/made-up", (route) -> route.fulfill(new Route.FulfillOptions().setBody("from the client")));
        page.navigate(site + "/made-up");
        equal(page.textContent("body"), "from the client");
        page.unrouteAll();
      });
      scenario("log", () -> {
        page.navigate(site + "/");
        equal(page.waitForConsoleMessage(() -> page.click("#log")).text(), "a line");
      });
      scenario("cookies", () -> {
        context.addCookies(List.of(new Cookie("flavour", "oat").setUrl(site)));
        page.navigate(site + "/cookies");
        equal(page.textContent("body"), "flavour=oat");
        equal(context.cookies().get(0).value, "oat");
      });
      scenario("contexts", () -> {
        BrowserContext other = browser.newContext();
        Page otherPage = other.newPage();
        otherPage.navigate(site + "/cookies");
        equal(otherPage.textContent("body"), "");
        other.close();
      });
      System.out.println(new Gson().toJson(outcome));
      browser.close();
    }
  }
}
