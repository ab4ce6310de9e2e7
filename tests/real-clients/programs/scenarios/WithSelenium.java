import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.openqa.selenium.By;
import org.openqa.selenium.Cookie;
import org.openqa.selenium.HasDownloads;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WindowType;
import org.openqa.selenium.bidi.browsingcontext.BrowsingContext;
import org.openqa.selenium.bidi.browsingcontext.CreateContextParameters;
import org.openqa.selenium.bidi.module.Browser;
import org.openqa.selenium.bidi.module.LogInspector;
import org.openqa.selenium.bidi.module.Network;
import org.openqa.selenium.bidi.network.AddInterceptParameters;
import org.openqa.selenium.bidi.network.BytesValue;
import org.openqa.selenium.bidi.network.InterceptPhase;
import org.openqa.selenium.bidi.network.ProvideResponseParameters;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.print.PrintOptions;
import org.openqa.selenium.remote.Augmenter;
import org.openqa.selenium.remote.LocalFileDetector;
import org.openqa.selenium.remote.RemoteWebDriver;
import org.openqa.selenium.support.ui.ExpectedConditions;
import org.openqa.selenium.support.ui.WebDriverWait;

/** Selenium for Java at the gateway's address, with the key in the capabilities. */
public class WithSelenium {
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

  static void becomes(Supplier<Object> read, Object expected) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(15);
    while (!Objects.equals(read.get(), expected) && System.nanoTime() < end) Thread.sleep(50);
    equal(read.get(), expected);
  }

  static String env(String name) {
    return System.getenv(name);
  }

  public static void main(String[] args) throws Exception {
    String site = env("SITE");
    Path scratch = Path.of(env("SCRATCH"));
    ChromeOptions options = new ChromeOptions();
    options.enableBiDi();
    options.setEnableDownloads(true);
    options.setCapability(
        "turnpike:options", Map.of("key", env("KEY"), "proxy", env("PROXY"), "headless", true));
    RemoteWebDriver remote = new RemoteWebDriver(URI.create(env("GATEWAY")).toURL(), options);
    remote.setFileDetector(new LocalFileDetector());
    var driver = (RemoteWebDriver) new Augmenter().augment(remote);
    driver.setFileDetector(new LocalFileDetector());
    var wait = new WebDriverWait(driver, Duration.ofSeconds(10));

    scenario("navigate", () -> {
      driver.get(site + "/second");
      driver.get(site + "/");
      driver.navigate().back();
      equal(driver.getTitle(), "Second");
      driver.navigate().forward();
      driver.navigate().refresh();
      equal(driver.getCurrentUrl(), site + "/");
    });
    scenario("find", () -> {
      equal(driver.findElements(By.tagName("button")).size(), 3);
      equal(driver.findElement(By.xpath("//button[1]")).getText(), "Press");
    });
    scenario("click", () -> {
      driver.findElement(By.id("press")).click();
      equal(driver.findElement(By.id("press")).getText(), "pressed");
    });
    scenario("type", () -> {
      driver.findElement(By.id("name")).sendKeys("Ada");
      equal(driver.findElement(By.id("name")).getDomProperty("value"), "Ada");
    });
    scenario("frames", () -> {
      driver.switchTo().frame("frame");
      driver.findElement(By.id("inside")).click();
      equal(driver.findElement(By.id("inside")).getText(), "inner");
      driver.switchTo().defaultContent();
    });
    scenario("windows", () -> {
      String first = driver.getWindowHandle();
      driver.findElement(By.id("second")).click();
      wait.until(ExpectedConditions.numberOfWindowsToBe(2));
      List<String> others = new ArrayList<>(driver.getWindowHandles());
      others.remove(first);
      driver.switchTo().window(others.get(0));
      becomes(driver::getTitle, "Second");
      driver.close();
      driver.switchTo().window(first);
    });
    scenario("alerts", () -> {
      driver.findElement(By.id("ask")).click();
      var prompt = wait.until(ExpectedConditions.alertIsPresent());
      prompt.sendKeys("Ada");
      prompt.accept();
      equal(driver.findElement(By.id("out")).getText(), "Ada");
    });
    scenario("upload", () -> {
      driver.findElement(By.id("letter")).sendKeys(scratch.resolve("letter.txt").toString());
      becomes(() -> driver.findElement(By.id("out")).getText(), "letter.txt: dear all");
    });
    scenario("upload 80 MB", () -> {
      driver.findElement(By.id("letter")).sendKeys(scratch.resolve("large.bin").toString());
      becomes(() -> driver.findElement(By.id("size")).getText(), "80000000");
    });
    scenario("download", () -> {
      driver.findElement(By.id("report")).click();
      var downloads = (HasDownloads) driver;
      becomes(
          () -> downloads.getDownloadedFiles().stream().anyMatch((file) -> file.getName().equals("report.txt")), true);
      downloads.downloadFile("report.txt", scratch);
      equal(Files.readString(scratch.resolve("report.txt")), "the report");
    });
    scenario("screenshot", () ->
      equal(new String(driver.getScreenshotAs(OutputType.BYTES), 1, 3, "ISO-8859-1"), "PNG"));
    scenario("PDF", () -> equal(driver.print(new PrintOptions()).getContent().substring(0, 5), "JVBER"));
    scenario("intercept", () -> {
      try (Network network = new Network(driver)) {
        network.onBeforeRequestSent((event) -> {
          if (!event.getRequest().getUrl().endsWith("/made-up")) return;
          network.provideResponse(
              new ProvideResponseParameters(event.getRequest().getRequestId())
                  .statusCode(200)
                  .body(new BytesValue(BytesValue.Type.STRING, "from the client")));
        });
        String intercept = network.addIntercept(
            new AddInterceptParameters(InterceptPhase.BEFORE_REQUEST_SENT).urlStringPattern(site + "/made-up"));
        driver.get(site + "/made-up");
        equal(driver.findElement(By.tagName("body")).getText(), "from the client");
        network.removeIntercept(intercept);
      }
    });
    scenario("log", () -> {
      try (LogInspector logs = new LogInspector(driver)) {
        var line = new CompletableFuture<String>();
        logs.onConsoleEntry((entry) -> line.complete(entry.getText()));
        driver.get(site + "/");
        driver.findElement(By.id("log")).click();
        equal(line.get(10, TimeUnit.SECONDS), "a line");
      }
    });
    scenario("cookies", () -> {
      driver.manage().addCookie(new Cookie("flavour", "oat"));
      driver.get(site + "/cookies");
      equal(driver.findElement(By.tagName("body")).getText(), "flavour=oat");
      equal(driver.manage().getCookieNamed("flavour").getValue(), "oat");
    });
    scenario("contexts", () -> {
      Browser browser = new Browser(driver);
      String context = browser.createUserContext();
      var tab = new BrowsingContext(driver, new CreateContextParameters(WindowType.TAB).userContext(context));
      driver.switchTo().window(tab.getId());
      driver.get(site + "/cookies");
      equal(driver.findElement(By.tagName("body")).getText(), "");
      browser.removeUserContext(context);
    });
    System.out.println(new org.openqa.selenium.json.Json().toJson(outcome).replace("\n", " "));
    remote.quit();
  }
}
