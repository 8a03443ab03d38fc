package dev.pacecar.scenarios;

import static io.gatling.javaapi.core.CoreDsl.StringBody;
import static io.gatling.javaapi.http.HttpDsl.http;

import io.gatling.javaapi.core.Simulation;
import java.util.List;
import java.util.Map;

/** Customers of the sample service who leaf through orders, look at one, and now and then place one. */
public final class OrdersBrowsing extends Simulation {
    private static final String NEW_ORDER =
            "{\"customer\": #{customer}, \"lines\": [{\"product\": #{product}, \"quantity\": #{quantity}}]}";

    private static final Operation LIST = Operation.of(
            "GET /orders",
            50,
            draw -> Map.of("page", draw.number(0, 50)),
            http("GET /orders").get(SlicedLoad.URL + "/orders?page=#{page}"));

    private static final Operation READ = Operation.of(
            "GET /orders/{id}",
            40,
            // A few orders are looked at again and again, the others once in a while.
            draw -> Map.of("id", draw.chance(0.5) ? draw.number(1, 100) : draw.number(1, 2_000)),
            http("GET /orders/{id}").get(SlicedLoad.URL + "/orders/#{id}"));

    private static final Operation PLACE = Operation.of(
            "POST /orders",
            10,
            draw -> Map.of(
                    "customer", draw.number(1, 100),
                    "product", draw.number(1, 100),
                    "quantity", draw.number(1, 20)),
            http("POST /orders")
                    .post(SlicedLoad.URL + "/orders")
                    .header("Content-Type", "application/json")
                    .body(StringBody(NEW_ORDER)));

    /** Called by Gatling. */
    public OrdersBrowsing() {
        SlicedLoad.fromPlan().run(this, List.of(LIST, READ, PLACE));
    }
}
