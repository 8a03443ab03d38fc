package dev.pacecar.agent.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class TallyTest {
    private final Tally tally = new Tally();

    @Test
    void everyCallerHasARowOfItsOwn() {
        tally.caller("shop.Orders", "page").add(Tally.STATEMENTS, 2);
        tally.caller("shop.Orders", "find").add(Tally.STATEMENTS, 1);
        tally.caller("shop.Orders", "find").add(Tally.BATCHED, 7);
        tally.caller("shop.Mail", "send").add(Tally.CALLS, 3);
        tally.caller(null).add(Tally.STATEMENTS, 5);
        assertEquals(
                "{\"failed\":4,\"unknown\":[5,0,0],\"others\":[0,0,0],\"callers\":[[\"shop.Orders\",\"page\",2,0,0],"
                        + "[\"shop.Orders\",\"find\",1,7,0],[\"shop.Mail\",\"send\",0,0,3]]}",
                tally.json(4));
    }

    @Test
    void thousandsOfCallersShareARow() {
        for (int i = 0; i < 5_000; i++) {
            tally.caller("shop.Generated" + i, "call").add(Tally.CALLS, 1);
        }
        String json = tally.json(0);
        assertEquals(Tally.MOST_CALLERS, json.split("shop.Generated", -1).length - 1);
        assertTrue(json.contains("\"others\":[0,0,4800]"), json);
        assertSame(tally.caller("shop.Generated0", "call"), tally.caller("shop.Generated0", "call"));
    }

    @Test
    void namesThatAreHostileStayTextOfLimitedLength() {
        for (int i = 0; i < 5_000; i++) {
            tally.caller("\u0000\"\\\n\u2028\ud800" + "x\u00e9".repeat(30_000) + i, "call" + i)
                    .add(Tally.STATEMENTS, 1);
        }
        String json = tally.json(0);
        assertTrue(StandardCharsets.US_ASCII.newEncoder().canEncode(json));
        assertTrue(json.chars().allMatch(each -> each >= ' '));
        assertTrue(json.contains("[\"\\u0000\\u0022\\u005c\\u000a\\u2028\\ud800x\\u00e9"), json.substring(0, 200));
        assertTrue(json.length() < 70_000, "it is " + json.length() + " characters long");
        long listed = json.split("\",1,0,0]", -1).length - 1;
        assertTrue(json.contains("\"others\":[" + (5_000 - listed) + ",0,0]"), "listed " + listed);
    }

    @Test
    void noCountIsLostAmongThreads() throws InterruptedException {
        Thread[] threads = new Thread[8];
        CountDownLatch together = new CountDownLatch(threads.length);
        for (int number = 0; number < threads.length; number++) {
            threads[number] = new Thread(() -> {
                together.countDown();
                for (int i = 0; i < 1_000; i++) {
                    tally.caller("shop.Orders", "page" + i % 50).add(Tally.STATEMENTS, 1);
                }
            });
            threads[number].start();
        }
        for (Thread each : threads) {
            each.join();
        }
        for (int i = 0; i < 50; i++) {
            assertEquals(160, tally.caller("shop.Orders", "page" + i).count(Tally.STATEMENTS));
        }
    }
}
