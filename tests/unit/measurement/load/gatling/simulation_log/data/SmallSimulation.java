package small;

import static io.gatling.javaapi.core.CoreDsl.*;
import static io.gatling.javaapi.http.HttpDsl.*;

import io.gatling.javaapi.core.*;
import io.gatling.javaapi.http.*;

public class SmallSimulation extends Simulation {
  HttpProtocolBuilder protocol = http.baseUrl(System.getProperty("url")).disableWarmUp();

  ScenarioBuilder browse = scenario("browse").exec(
      group("shop").on(
          exec(http("GET /items").get("/items").check(status().is(200))),
          group("cart").on(
              exec(http("POST /cart").post("/cart").check(status().is(200))),
              exec(http("GET /missing").get("/missing").check(status().is(200))))),
      http("Größe").get("/items"),
      http("注文 ✓").get("/items"));

  ScenarioBuilder broken = scenario("bröken").exec(
      http("never sent").get("/#{absent}"),
      exec(http("GET /items").get("/items").check(jsonPath("$.price").exists())));

  {
    setUp(
        browse.injectOpen(constantUsersPerSec(20).during(2)).protocols(protocol),
        broken.injectOpen(atOnceUsers(3)).protocols(protocol)
    ).assertions(global().failedRequests().percent().lt(50.0));
  }
}
