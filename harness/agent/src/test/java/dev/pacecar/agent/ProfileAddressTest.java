package dev.pacecar.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;

class ProfileAddressTest {
    @Test
    void endsInTheIdOfThisJvm() {
        long own = ProcessHandle.current().pid();
        assertEquals("http://127.0.0.1:9/f/" + own, ProfileAddress.ofThisJvm("http://127.0.0.1:9/f/{jvm}"));
    }

    @Test
    void anAddressOfSomebodyElseStays() {
        assertEquals("http://127.0.0.1:4040", ProfileAddress.ofThisJvm("http://127.0.0.1:4040"));
        ProfileAddress.settle();
        assertNull(System.getProperty(ProfileAddress.NAME));
    }
}
