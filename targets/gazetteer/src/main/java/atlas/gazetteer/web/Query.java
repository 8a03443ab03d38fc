package atlas.gazetteer.web;

import io.undertow.server.HttpServerExchange;
import java.util.Deque;

/** Parameters of a request, checked; those of the path are among them. */
record Query(HttpServerExchange exchange) {

    String text(String name, int longest) {
        Deque<String> values = exchange.getQueryParameters().get(name);
        if (values == null || values.getFirst().isBlank() || values.getFirst().length() > longest) {
            throw new BadRequest(name + " must be given, with at most " + longest + " characters");
        }
        return values.getFirst();
    }

    int number(String name, int least, int most) {
        return (int) real(name, least, most);
    }

    double real(String name, double least, double most) {
        double value;
        try {
            value = Double.parseDouble(text(name, 20));
        } catch (NumberFormatException notOne) {
            value = Double.NaN;
        }
        if (!(value >= least && value <= most)) {
            throw new BadRequest(name + " must be a number from " + least + " to " + most);
        }
        return value;
    }
}
