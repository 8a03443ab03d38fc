package dev.pacecar.scenarios;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Plans for tests: six slices of two seconds, A B B A B A. */
final class PlanExamples {
    static final Map<String, String> SIDES =
            Map.of("baseline", "http://127.0.0.1:1001", "candidate", "http://127.0.0.1:1002");
    static final List<String> ORDER =
            List.of("baseline", "candidate", "candidate", "baseline", "candidate", "baseline");

    private PlanExamples() {}

    static Plan open(long seed, double rate) {
        return plan(seed, Plan.Model.OPEN, rate, 4, 20);
    }

    static Plan closed(long seed, double thinkTimeMs) {
        return plan(seed, Plan.Model.CLOSED, 0, 4, thinkTimeMs);
    }

    /** {@code plan}, of which one process sends its share. */
    static Plan shared(Plan plan, int index, int of) {
        return changed(plan, plan.warmup(), new Plan.Share(index, of));
    }

    /** {@code plan} with another warm-up. */
    static Plan warmed(Plan plan, Plan.Warmup warmup) {
        return changed(plan, warmup, plan.share());
    }

    private static Plan changed(Plan plan, Plan.Warmup warmup, Plan.Share share) {
        return new Plan(
                plan.seed(),
                plan.model(),
                plan.ratePerSecond(),
                plan.usersPerSide(),
                plan.thinkTimeMs(),
                plan.sides(),
                warmup,
                plan.slices(),
                plan.sliceSeconds(),
                plan.gapSeconds(),
                plan.endpoints(),
                plan.clockFile(),
                plan.arrivalsFile(),
                plan.hiccupsFile(),
                plan.traced(),
                plan.counted(),
                share,
                plan.start());
    }

    private static Plan plan(long seed, Plan.Model model, double rate, int users, double thinkTimeMs) {
        return new Plan(
                seed,
                model,
                rate,
                users,
                thinkTimeMs,
                SIDES,
                new Plan.Warmup(4, 1, 3, null, null),
                ORDER,
                2,
                0.5,
                List.of(),
                "clock.json",
                "arrivals.csv",
                "hiccups.csv",
                false,
                null,
                Plan.Share.WHOLE,
                null);
    }

    /** The closed example, sent in blocks of three requests; the two files lie in {@code folder}. */
    static Plan counted(long seed, Path folder) {
        Plan example = closed(seed, 0);
        return new Plan(
                seed,
                example.model(),
                0,
                1,
                0,
                example.sides(),
                example.warmup(),
                List.of("baseline", "candidate"),
                2,
                0.5,
                List.of(),
                "clock.json",
                "arrivals.csv",
                "hiccups.csv",
                false,
                new Plan.Counted(
                        3,
                        2,
                        folder.resolve("go").toString(),
                        folder.resolve("done").toString()),
                Plan.Share.WHOLE,
                null);
    }

    /** A plan file that can be read, with {@code from} replaced by {@code to}. */
    static Path file(Path folder, String from, String to) throws IOException {
        String json =
                """
                {"seed": 7, "model": "open", "ratePerSecond": 150.0, "usersPerSide": 8, "thinkTimeMs": 50.0,
                 "sides": {"baseline": "http://127.0.0.1:1001", "candidate": "http://127.0.0.1:1002"},
                 "warmup": {"seconds": 15.0, "burstSeconds": 5.0, "burstUsers": 4,
                            "burstEndFile": "/tmp/steady", "progressFile": null},
                 "slices": ["baseline", "candidate"], "sliceSeconds": 5.0, "gapSeconds": 0.5,
                 "endpoints": [{"name": "GET /orders", "weight": 40, "method": "GET",
                                "path": "/orders?page=${int(0,50)}", "body": null, "headers": {}}],
                 "clockFile": "/tmp/clock.json", "arrivalsFile": "/tmp/arrivals.csv",
                 "hiccupsFile": "/tmp/hiccups.csv", "traced": false,
                 "counted": {"requests": 25, "operations": 40, "goFile": "/tmp/go", "doneFile": "/tmp/done"},
                 "share": {"index": 0, "of": 1},
                 "start": {"readyFile": "/tmp/ready", "beginFile": "/tmp/begin"}}
                """;
        if (!json.contains(from)) {
            throw new IllegalArgumentException("the example holds no " + from);
        }
        return Files.writeString(folder.resolve("plan.json"), json.replace(from, to));
    }

    /** A clock of one arrival every tenth of a second that announces itself in {@code folder}. */
    static LoadClock clockIn(Path folder) {
        Plan example = open(1, 10);
        Plan plan = new Plan(
                1,
                example.model(),
                10,
                1,
                0,
                example.sides(),
                example.warmup(),
                example.slices(),
                2,
                0.5,
                example.endpoints(),
                folder.resolve("clock.json").toString(),
                "arrivals.csv",
                "hiccups.csv",
                false,
                null,
                Plan.Share.WHOLE,
                null);
        return new LoadClock(plan, new Timeline(plan));
    }
}
