package bank.ledgerdb.web;

import bank.ledgerdb.stages.Stage;
import bank.ledgerdb.store.Entry;
import bank.ledgerdb.store.Store;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Requests for accounts: each goes from the thread that reads it to `decode`, from there to `store`, and back. */
@Sharable
final class Requests extends SimpleChannelInboundHandler<FullHttpRequest> {

    private static final Pattern PATH = Pattern.compile("/accounts/(\\d{1,6})(/entries)?");
    /** Entries of a statement. */
    private static final int SHOWN = 100;

    private static final Pattern CENTS = Pattern.compile("-?\\d{1,9}");
    private static final Pattern TEXT = Pattern.compile("[\\w .-]{1,60}");

    private final Store store;
    private final Metrics metrics;
    private final Stage decode = new Stage("decode", 1);
    private final Stage stored = new Stage("store", 4);

    Requests(Store store, Metrics metrics) {
        this.store = store;
        this.metrics = metrics;
    }

    void stop() {
        decode.stop();
        stored.stop();
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) throws IOException {
        String method = request.method().name();
        String path = new QueryStringDecoder(request.uri()).path();
        switch (path) {
            case "/health" -> new Answer(200, "text/plain", "UP\n").send(context);
            case "/metrics" -> new Answer(200, metrics.type(), metrics.page()).send(context);
            default -> {
                String body = request.content().toString(StandardCharsets.UTF_8);
                long begun = System.nanoTime();
                handed(decode, context, () -> decoded(context, method, path, body, begun));
            }
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }

    private void decoded(ChannelHandlerContext context, String method, String path, String body, long begun) {
        Matcher found = PATH.matcher(path);
        if (!found.matches()) {
            Answer.refused(404, "there is nothing here").send(context);
            return;
        }
        int account = Integer.parseInt(found.group(1));
        boolean entries = found.group(2) != null;
        Work work = work(method, account, entries, body);
        handed(stored, context, () -> {
            Answer answer = done(work);
            String route = entries ? "/accounts/{id}/entries" : "/accounts/{id}";
            metrics.observe(method, route, answer.status(), System.nanoTime() - begun);
            answer.send(context);
        });
    }

    /** What the store is to do for a request. */
    private Work work(String method, int account, boolean entries, String body) {
        if (method.equals("GET")) {
            return () -> entries ? statement(account) : balance(account);
        }
        if (!method.equals("POST") || !entries) {
            return () -> Answer.refused(405, "entries can be read and added");
        }
        var form = form(body);
        String cents = first(form.get("cents"));
        String text = first(form.get("text"));
        if (!CENTS.matcher(cents).matches() || !TEXT.matcher(text).matches()) {
            return () -> Answer.refused(400, "an entry has cents, a whole number, and a short text");
        }
        return () -> added(account, Long.parseLong(cents), text);
    }

    private Answer balance(int account) throws IOException {
        // Not the newest alone: what it says is only as good as all that led to it.
        List<Entry> last = store.newest(account, Store.KEPT);
        return last.isEmpty() ? unknown() : Answer.json(200, entry(last.get(0)));
    }

    private Answer statement(int account) throws IOException {
        List<Entry> entries = store.newest(account, Store.KEPT);
        return entries.isEmpty()
                ? unknown()
                : Answer.json(
                        200,
                        entries.stream().limit(SHOWN).map(Requests::entry).collect(Collectors.joining(",", "[", "]")));
    }

    private Answer added(int account, long cents, String text) throws IOException {
        Entry entry = store.append(account, cents, text);
        return entry == null ? unknown() : Answer.json(201, entry(entry));
    }

    private static Answer unknown() {
        return Answer.refused(404, "there is no such account");
    }

    private static String entry(Entry entry) {
        return "{\"number\":" + entry.number() + ",\"cents\":" + entry.cents() + ",\"balance\":" + entry.balance()
                + ",\"text\":\"" + entry.text() + "\",\"seal\":" + entry.seal() + "}";
    }

    /** What a body says; nothing where it is no form. */
    private static Map<String, List<String>> form(String body) {
        try {
            return new QueryStringDecoder(body, false).parameters();
        } catch (IllegalArgumentException notEncoded) {
            return Map.of();
        }
    }

    private static String first(List<String> values) {
        return values == null ? "" : values.get(0);
    }

    private static Answer done(Work work) {
        try {
            return work.answer();
        } catch (IOException | RuntimeException failed) {
            System.err.println("a request failed: " + failed);
            return Answer.refused(500, "the store does not answer");
        }
    }

    private static void handed(Stage stage, ChannelHandlerContext context, Runnable task) {
        try {
            stage.hand(task);
        } catch (RejectedExecutionException full) {
            Answer.refused(503, "too many requests wait").send(context);
        }
    }

    /** What is left to do for a request once it is understood. */
    @FunctionalInterface
    private interface Work {

        Answer answer() throws IOException;
    }
}
