package dev.pacecar.scenarios;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * What one Gatling process is asked to do: {@code plan.json}, as Pacecar writes it.
 *
 * @param seed seed of everything random; differs from pair to pair
 * @param model whether arrivals come by the clock or users wait for their answers
 * @param ratePerSecond open model: mean arrivals per second on the side under load
 * @param usersPerSide closed model: users of each side
 * @param thinkTimeMs closed model: mean pause before a user's next request
 * @param sides name of a side to its base URL; one or two of them
 * @param warmup load before the first slice, on all sides at once
 * @param slices the side under load in each slice, in order of time
 * @param sliceSeconds length of a slice
 * @param gapSeconds silence after the warm-up and after each slice
 * @param endpoints the mix of {@link EndpointMix}; empty when a simulation defines its own operations
 * @param clockFile where the start of load is announced
 * @param arrivalsFile where planned and actual sending times are left
 * @param hiccupsFile where the moments are left at which this process stood still
 * @param traced requests carry the header of {@link Trace}, so that what serves them can be told apart
 * @param counted requests by number, block by block, in place of warm-up and slices; null for those
 * @param share which of the requests this process sends
 * @param start how the moment is agreed on at which the load begins; null to begin at once
 */
public record Plan(
        long seed,
        Model model,
        double ratePerSecond,
        int usersPerSide,
        double thinkTimeMs,
        Map<String, String> sides,
        Warmup warmup,
        List<String> slices,
        double sliceSeconds,
        double gapSeconds,
        List<Endpoint> endpoints,
        String clockFile,
        String arrivalsFile,
        String hiccupsFile,
        boolean traced,
        Counted counted,
        Share share,
        Start start) {

    private static final long LARGEST_FILE = 8L << 20;
    private static final int MOST_SLICES = 2_000;
    private static final int MOST_ENDPOINTS = 500;
    private static final int MOST_USERS = 10_000;
    private static final double LONGEST_SECONDS = 4 * 3_600;
    private static final double MOST_ARRIVALS = 2_000_000;
    private static final int MOST_OF_A_BLOCK = 10_000;
    private static final int MOST_INJECTORS = 64;

    /** Open: arrivals come by the clock. Closed: a fixed number of users, each waiting for its answer. */
    public enum Model {
        /** Arrivals come by the clock. */
        @JsonProperty("open")
        OPEN,
        /** Each user waits for its answer, thinks, and asks again. */
        @JsonProperty("closed")
        CLOSED
    }

    /**
     * Load before the first slice.
     *
     * @param seconds its length
     * @param burstSeconds its first part, under as much load as the service can bear
     * @param burstUsers open model: users per side that make the burst, each asking again as soon as it was answered
     * @param burstEndFile holds the time at which the burst ends early, in epoch milliseconds, once that is known; null
     *     when nobody will write it
     * @param progressFile where the requests sent so far are noted; null when nobody reads it
     */
    public record Warmup(
            double seconds, double burstSeconds, int burstUsers, String burstEndFile, String progressFile) {}

    /**
     * One kind of request of the built-in mix; {@code path} and {@code body} are {@linkplain Template templates}.
     *
     * @param name what reports call it
     * @param weight its share of the mix, relative to the other weights
     * @param method HTTP method
     * @param path path and query below the side's base URL
     * @param body what is sent, or null
     * @param headers HTTP headers
     */
    public record Endpoint(
            String name, double weight, String method, String path, String body, Map<String, String> headers) {}

    /**
     * Blocks of requests to one operation after the other, for counting what a request costs: see {@link Blocks}.
     *
     * @param requests of each block, on each side
     * @param operations at most so many are asked, those with the largest weights
     * @param goFile holds how many blocks may be sent; whoever reads the services' counters writes it
     * @param doneFile where each block is noted that was answered on all sides
     */
    public record Counted(int requests, int operations, String goFile, String doneFile) {}

    /**
     * The part of the load that one process sends where several share it. Each draws all requests and sends its own, so
     * that together they send what one alone would.
     *
     * @param index number of this process, from 0
     * @param of how many there are
     */
    public record Share(int index, int of) {
        /** All of the load. */
        public static final Share WHOLE = new Share(0, 1);
    }

    /**
     * How the load's beginning is agreed on with whoever conducts it, so that several processes begin together.
     *
     * @param readyFile where this process says that it can begin, and how long before the load it must know
     * @param beginFile holds the time at which the load begins, in epoch milliseconds, once that is known
     */
    public record Start(String readyFile, String beginFile) {}

    /** Refuses a plan that cannot be carried out, with a sentence that names the value at fault. */
    public Plan {
        require(model != null, "model must be open or closed");
        require(sides != null && !sides.isEmpty() && sides.size() <= 2, "sides must name one or two base URLs");
        require(
                slices != null && !slices.isEmpty() && slices.size() <= MOST_SLICES,
                "slices must hold 1 to " + MOST_SLICES + " entries");
        require(warmup != null, "warmup is missing");
        require(
                endpoints != null && endpoints.size() <= MOST_ENDPOINTS,
                "endpoints must hold at most " + MOST_ENDPOINTS + " entries");
        require(
                clockFile != null && arrivalsFile != null && hiccupsFile != null,
                "clockFile, arrivalsFile and hiccupsFile must be paths");
        require(
                sliceSeconds > 0 && gapSeconds >= 0 && warmup.seconds >= 0,
                "sliceSeconds must be positive, gapSeconds and warmup.seconds not negative");
        require(
                warmup.burstSeconds >= 0 && warmup.burstUsers >= 1 && warmup.burstUsers <= MOST_USERS,
                "warmup.burstSeconds must not be negative, warmup.burstUsers must lie between 1 and " + MOST_USERS);
        require(
                share != null && share.of >= 1 && share.of <= MOST_INJECTORS,
                "share.of must lie between 1 and " + MOST_INJECTORS);
        require(share.index >= 0 && share.index < share.of, "share.index must lie between 0 and share.of - 1");
        require(
                start == null || (start.readyFile != null && start.beginFile != null),
                "start.readyFile and start.beginFile must be paths");
        for (String side : slices) {
            require(sides.containsKey(side), "slices name the side '" + side + "', which has no base URL");
        }
        double seconds = warmup.seconds + gapSeconds + slices.size() * (sliceSeconds + gapSeconds);
        require(seconds <= LONGEST_SECONDS, "the plan takes more than four hours");
        if (model == Model.OPEN) {
            require(ratePerSecond > 0, "ratePerSecond must be positive");
            double busy = sides.size() * warmup.seconds + slices.size() * sliceSeconds;
            require(
                    ratePerSecond * busy / share.of <= MOST_ARRIVALS,
                    "the plan asks for more than two million arrivals of one process");
        } else {
            require(
                    usersPerSide >= 1 && usersPerSide <= MOST_USERS,
                    "usersPerSide must lie between 1 and " + MOST_USERS);
            require(thinkTimeMs >= 0, "thinkTimeMs must not be negative");
        }
        if (counted != null) {
            require(
                    counted.requests >= 1 && counted.requests <= MOST_OF_A_BLOCK,
                    "counted.requests must lie between 1 and " + MOST_OF_A_BLOCK);
            require(
                    counted.operations >= 1 && counted.operations <= MOST_ENDPOINTS,
                    "counted.operations must lie between 1 and " + MOST_ENDPOINTS);
            require(counted.goFile != null && counted.doneFile != null, "counted.goFile and doneFile must be paths");
            require(share.of == 1, "requests that are counted are sent by one process");
        }
        sides = Map.copyOf(sides);
        slices = List.copyOf(slices);
        endpoints = List.copyOf(endpoints);
    }

    /**
     * Reads the plan named by the system property {@code pacecar.plan}.
     *
     * @throws IllegalArgumentException when there is none, or it is not a plan
     */
    public static Plan fromSystemProperty() {
        String path = System.getProperty("pacecar.plan");
        require(path != null, "this simulation is started by Pacecar, which sets -Dpacecar.plan=<plan.json>");
        return read(Path.of(path));
    }

    /**
     * Reads a plan. Unknown and missing keys are errors, so that a plan of another version is never half obeyed.
     *
     * @throws IllegalArgumentException when the file cannot be read or is not a plan
     */
    public static Plan read(Path file) {
        ObjectMapper mapper = JsonMapper.builder()
                .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
                .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                .build();
        try {
            require(Files.size(file) <= LARGEST_FILE, file + " is larger than 8 MiB");
            return mapper.readValue(file.toFile(), Plan.class);
        } catch (JsonProcessingException error) {
            throw new IllegalArgumentException(file + ": " + error.getOriginalMessage(), error);
        } catch (IOException error) {
            throw new IllegalArgumentException("Cannot read the plan " + file + ": " + error.getMessage(), error);
        }
    }

    private static void require(boolean condition, String sentence) {
        if (!condition) {
            throw new IllegalArgumentException(sentence);
        }
    }
}
