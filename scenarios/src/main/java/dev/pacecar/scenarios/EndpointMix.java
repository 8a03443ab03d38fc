package dev.pacecar.scenarios;

import static io.gatling.javaapi.core.CoreDsl.StringBody;
import static io.gatling.javaapi.http.HttpDsl.http;

import io.gatling.javaapi.core.Simulation;
import io.gatling.javaapi.http.HttpRequestActionBuilder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** The simulation Pacecar brings: a mix of single requests, stated in the configuration and handed over in the plan. */
public final class EndpointMix extends Simulation {
    private static final String PATH = "pacecarPath";
    private static final String BODY = "pacecarBody";

    /** Called by Gatling. */
    public EndpointMix() {
        SlicedLoad load = SlicedLoad.fromPlan();
        load.run(this, operations(load.plan().endpoints()));
    }

    private static List<Operation> operations(List<Plan.Endpoint> endpoints) {
        return endpoints.stream().map(EndpointMix::operation).toList();
    }

    private static Operation operation(Plan.Endpoint endpoint) {
        if (!endpoint.path().startsWith("/")) {
            throw new IllegalArgumentException("The path of '" + endpoint.name() + "' must begin with a slash");
        }
        // Functions where the text is the user's: as plain text Gatling would look for its own placeholders in it.
        HttpRequestActionBuilder request =
                http(session -> endpoint.name()).httpRequest(endpoint.method(), SlicedLoad.URL + "#{" + PATH + "}");
        for (Map.Entry<String, String> header : endpoint.headers().entrySet()) {
            request = request.header(header.getKey(), session -> header.getValue());
        }
        if (endpoint.body() != null) {
            request = request.body(StringBody(session -> session.getString(BODY)));
            if (endpoint.headers().keySet().stream().noneMatch("Content-Type"::equalsIgnoreCase)) {
                request = request.header("Content-Type", "application/json");
            }
        }
        return Operation.of(endpoint.name(), endpoint.weight(), data(endpoint), request);
    }

    private static Function<Draw, Map<String, Object>> data(Plan.Endpoint endpoint) {
        Template path = Template.of(endpoint.path());
        Template body = Template.of(endpoint.body() == null ? "" : endpoint.body());
        return draw -> {
            Map<String, Object> data = new HashMap<>();
            data.put(PATH, path.render(draw));
            data.put(BODY, body.render(draw));
            return data;
        };
    }
}
