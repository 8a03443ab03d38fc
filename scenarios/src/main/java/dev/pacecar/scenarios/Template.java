package dev.pacecar.scenarios;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Text with placeholders: <code>${int(a,b)}</code>, a whole number from a to b, both included, and
 * <code>${pick(x,y,z)}</code>, one of the values, which hold neither comma nor parenthesis.
 */
public final class Template {
    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{([^}]*)}");
    private static final Pattern INT = Pattern.compile("int\\(\\s*(-?\\d{1,9})\\s*,\\s*(-?\\d{1,9})\\s*\\)");
    private static final Pattern PICK = Pattern.compile("pick\\(([^()]+)\\)");

    private final List<Function<Draw, String>> parts;

    private Template(List<Function<Draw, String>> parts) {
        this.parts = parts;
    }

    /**
     * Reads a template.
     *
     * @throws IllegalArgumentException when a placeholder is not one of the two
     */
    public static Template of(String text) {
        List<Function<Draw, String>> parts = new ArrayList<>();
        Matcher matcher = PLACEHOLDER.matcher(text);
        int position = 0;
        while (matcher.find()) {
            String before = text.substring(position, matcher.start());
            parts.add(draw -> before);
            parts.add(placeholder(matcher.group(1).strip()));
            position = matcher.end();
        }
        String rest = text.substring(position);
        if (rest.contains("${")) {
            throw new IllegalArgumentException("'" + rest + "' opens a placeholder and does not close it");
        }
        parts.add(draw -> rest);
        return new Template(List.copyOf(parts));
    }

    /** The text with its placeholders replaced, drawn from left to right. */
    public String render(Draw draw) {
        StringBuilder text = new StringBuilder();
        parts.forEach(part -> text.append(part.apply(draw)));
        return text.toString();
    }

    private static Function<Draw, String> placeholder(String expression) {
        Matcher number = INT.matcher(expression);
        if (number.matches()) {
            int low = Integer.parseInt(number.group(1));
            int high = Integer.parseInt(number.group(2));
            if (low <= high) {
                return draw -> Integer.toString(draw.number(low, high));
            }
        }
        Matcher pick = PICK.matcher(expression);
        if (pick.matches()) {
            List<String> values = List.of(pick.group(1).split("\\s*,\\s*", -1));
            return draw -> draw.pick(values);
        }
        throw new IllegalArgumentException(
                "'${" + expression + "}' is neither ${int(low,high)} nor ${pick(one,another)}");
    }
}
