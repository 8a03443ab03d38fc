package dev.pacecar.agent;

/**
 * Where the profiling agent of this JVM uploads to. What a service starts, or what starts it, has its agents from the same
 * variables and may be a JVM as well: so each adds its process id, as it sees it, and profiles are told apart.
 */
final class ProfileAddress {
    /** Read by the profiling agent, as a property before it is as a variable. */
    static final String NAME = "PYROSCOPE_SERVER_ADDRESS";

    /** Stands for the id, in addresses of Pacecar's alone. */
    static final String JVM = "{jvm}";

    private ProfileAddress() {}

    /** Settles the address before the profiling agent starts, which comes after this one. */
    static void settle() {
        String told = System.getenv(NAME);
        if (told != null && told.contains(JVM)) {
            System.setProperty(NAME, ofThisJvm(told));
        }
    }

    static String ofThisJvm(String told) {
        return told.replace(JVM, Long.toString(ProcessHandle.current().pid()));
    }
}
