package shop.orders.pricing;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads discount rules as the people in sales write them.
 *
 * <pre>tools in bulk: category = tools and quantity >= 50 -> 2.5 %</pre>
 */
final class RuleParser {

    private static final Pattern RULE =
            Pattern.compile("\\s*(?<name>[^:]+):(?<conditions>.+)->\\s*(?<percent>[0-9.]+)\\s*%\\s*");
    private static final Pattern CONDITION =
            Pattern.compile("\\s*(?<what>category|level|quantity|value)\\s*(?<sign>=|>=)\\s*(?<limit>[\\w. ]+?)\\s*");

    private RuleParser() {}

    static DiscountRule parse(String text) {
        Matcher rule = RULE.matcher(text);
        if (!rule.matches()) {
            throw new IllegalArgumentException("Not a discount rule: " + text);
        }
        var conditions = new ArrayList<Condition>();
        for (String condition : rule.group("conditions").split("\\band\\b")) {
            conditions.add(condition(condition));
        }
        int basisPoints = new BigDecimal(rule.group("percent")).movePointRight(2).intValueExact();
        return new DiscountRule(rule.group("name").strip(), List.copyOf(conditions), basisPoints);
    }

    private static Condition condition(String text) {
        Matcher condition = CONDITION.matcher(text);
        if (!condition.matches()) {
            throw new IllegalArgumentException("Not a condition of a discount: " + text);
        }
        String limit = condition.group("limit");
        return switch (condition.group("what") + " " + condition.group("sign")) {
            case "category =" -> new Condition.Category(limit);
            case "level =" -> new Condition.Level(limit);
            case "quantity >=" -> new Condition.Quantity(Integer.parseInt(limit));
            case "value >=" -> new Condition.Value(new BigDecimal(limit).movePointRight(2).longValueExact());
            default -> throw new IllegalArgumentException("A discount cannot depend on this: " + text);
        };
    }
}
