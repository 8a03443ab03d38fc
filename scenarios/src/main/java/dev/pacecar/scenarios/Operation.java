package dev.pacecar.scenarios;

import static io.gatling.javaapi.core.CoreDsl.exec;

import io.gatling.javaapi.core.ActionBuilder;
import io.gatling.javaapi.core.ChainBuilder;
import java.util.Map;
import java.util.function.Function;

/**
 * One kind of thing that users do: how often, with which data, and the requests themselves.
 *
 * @param name what reports call it; the requests in it should bear the same name
 * @param weight its share of the mix, relative to the other weights
 * @param data draws the session attributes the requests refer to
 * @param chain the requests
 */
public record Operation(String name, double weight, Function<Draw, Map<String, Object>> data, ChainBuilder chain) {
    private static final int LONGEST_NAME = 200;

    /** Refuses names that would not survive the way into a table, and weights that are no weights. */
    public Operation {
        if (name == null
                || name.isBlank()
                || name.length() > LONGEST_NAME
                || name.chars().anyMatch(c -> c < ' ')) {
            throw new IllegalArgumentException("An operation's name must be 1 to 200 printable characters: " + name);
        }
        if (!(weight > 0 && weight < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("The weight of '" + name + "' must be a positive number");
        }
    }

    /** An operation whose requests need no data. */
    public static Operation of(String name, double weight, ActionBuilder request) {
        return of(name, weight, draw -> Map.of(), request);
    }

    /** An operation of one request. */
    public static Operation of(
            String name, double weight, Function<Draw, Map<String, Object>> data, ActionBuilder request) {
        return new Operation(name, weight, data, exec(request));
    }
}
