package dev.pacecar.scenarios;

import static io.gatling.javaapi.core.CoreDsl.StringBody;
import static io.gatling.javaapi.core.CoreDsl.constantUsersPerSec;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.percent;
import static io.gatling.javaapi.core.CoreDsl.randomSwitch;
import static io.gatling.javaapi.core.CoreDsl.scenario;
import static io.gatling.javaapi.http.HttpDsl.http;

import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.Simulation;
import io.gatling.javaapi.http.HttpProtocolBuilder;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A simulation without the kit, as teams have them already: plain Gatling, told by the system properties
 * {@code baseUrl}, {@code rate} (users per second) and {@code seconds} what to do.
 *
 * <p>Pacecar runs such a simulation in long windows, one Gatling for each side and window.
 */
public final class PlainOrders extends Simulation {
    private static final String NEW_ORDER =
            "{\"customer\": #{customer}, \"lines\": [{\"product\": #{product}, \"quantity\": #{quantity}}]}";
    private static final double RATE = Double.parseDouble(System.getProperty("rate", "20"));
    private static final long SECONDS = Math.round(Double.parseDouble(System.getProperty("seconds", "30")));

    private final HttpProtocolBuilder protocol = http.baseUrl(System.getProperty("baseUrl", "http://127.0.0.1:8080"))
            .shareConnections()
            .disableWarmUp();

    private final ChainBuilder list = exec(session -> session.set("page", random(0, 50)))
            .exec(http("GET /orders").get("/orders?page=#{page}"));
    private final ChainBuilder read = exec(session -> session.set("id", random(1, 2_000)))
            .exec(http("GET /orders/{id}").get("/orders/#{id}"));
    private final ChainBuilder place = exec(session -> session.set("customer", random(1, 100))
                    .set("product", random(1, 100))
                    .set("quantity", random(1, 20)))
            .exec(http("POST /orders")
                    .post("/orders")
                    .header("Content-Type", "application/json")
                    .body(StringBody(NEW_ORDER)));

    /** Called by Gatling. */
    public PlainOrders() {
        setUp(scenario("orders")
                        .exec(randomSwitch()
                                .on(
                                        percent(50).then(list),
                                        percent(40).then(read),
                                        percent(10).then(place)))
                        .injectOpen(constantUsersPerSec(RATE).during(SECONDS)))
                .protocols(protocol);
    }

    private static int random(int low, int high) {
        return ThreadLocalRandom.current().nextInt(low, high + 1);
    }
}
