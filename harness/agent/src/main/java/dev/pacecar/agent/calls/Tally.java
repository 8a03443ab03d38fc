package dev.pacecar.agent.calls;

import java.lang.StackWalker.StackFrame;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Counts by caller. The first {@link #MOST_CALLERS} have a row of their own, all others one together: who came first
 * stays, so that no count ever falls.
 */
final class Tally {
    /**
     * Columns of a caller: statements and commands that went out, a batch of statements once; statements in batches;
     * requests to other services, and messages.
     */
    static final int STATEMENTS = 0;

    static final int BATCHED = 1;
    static final int CALLS = 2;

    static final int MOST_CALLERS = 200;
    /** Of the name of a class or method; class files allow 65,535. */
    private static final int LONGEST_NAME = 300;
    /** Of all rows together: far less than a socket's buffer, so that a reader who does not read holds nobody up. */
    private static final int MOST_CHARACTERS = 1 << 16;
    /** Of a row, beside its names. */
    private static final int NUMBERS = 70;

    private final Caller unknown = new Caller("", "");
    private final Caller others = new Caller("", "");
    // Two levels, so that a caller is found without making a key.
    private final Map<String, Map<String, Caller>> known = new ConcurrentHashMap<>();
    private final List<Caller> inOrder = new ArrayList<>();
    private int room = MOST_CHARACTERS;

    /** The row of the method of a frame; null is a call below which there is none of the application. */
    Caller caller(StackFrame frame) {
        return frame == null ? unknown : caller(frame.getClassName(), frame.getMethodName());
    }

    /** The row of a method. */
    Caller caller(String type, String method) {
        Map<String, Caller> methods = known.get(type);
        Caller found = methods == null ? null : methods.get(method);
        return found == null ? added(type, method) : found;
    }

    private synchronized Caller added(String type, String method) {
        Map<String, Caller> methods = known.get(type);
        Caller found = methods == null ? null : methods.get(method);
        if (found != null || inOrder.size() >= MOST_CALLERS) {
            return found == null ? others : found;
        }
        Caller caller = new Caller(escaped(cut(type)), escaped(cut(method)));
        int taken = caller.type.length() + caller.method.length() + NUMBERS;
        if (taken > room) {
            return others;
        }
        room -= taken;
        inOrder.add(caller);
        known.computeIfAbsent(type, any -> new ConcurrentHashMap<>()).put(method, caller);
        return caller;
    }

    /**
     * All counts so far: {@code {"failed": 0, "unknown": [0, 0, 0], "others": [0, 0, 0], "callers": [["shop.Orders",
     * "page", 2, 0, 0]]}}, with the columns in their order.
     *
     * @param failed how many classes could not be instrumented
     */
    synchronized String json(long failed) {
        StringBuilder callers = new StringBuilder();
        for (Caller each : inOrder) {
            callers.append(callers.isEmpty() ? "" : ",");
            callers.append("[\"")
                    .append(each.type)
                    .append("\",\"")
                    .append(each.method)
                    .append("\",");
            callers.append(numbers(each)).append("]");
        }
        return "{\"failed\":" + failed + ",\"unknown\":[" + numbers(unknown) + "],\"others\":[" + numbers(others)
                + "],\"callers\":[" + callers + "]}";
    }

    private static String numbers(Caller caller) {
        return caller.count(STATEMENTS) + "," + caller.count(BATCHED) + "," + caller.count(CALLS);
    }

    private static String cut(String name) {
        return name.length() <= LONGEST_NAME ? name : name.substring(0, LONGEST_NAME);
    }

    // Names of classes may hold nearly anything.
    private static String escaped(String name) {
        StringBuilder text = new StringBuilder(name.length());
        for (int i = 0; i < name.length(); i++) {
            char each = name.charAt(i);
            if (each < ' ' || each > '~' || each == '"' || each == '\\') {
                text.append(String.format("\\u%04x", (int) each));
            } else {
                text.append(each);
            }
        }
        return text.toString();
    }
}
