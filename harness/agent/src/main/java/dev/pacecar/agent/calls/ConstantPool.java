package dev.pacecar.agent.calls;

import java.nio.charset.StandardCharsets;

/** The constants of a class file (JVM Specification, section 4.4), as far as it takes to see what is not worth reading. */
final class ConstantPool {
    private static final int MAGIC = 0xCAFEBABE;
    private static final int COUNT_AT = 8;
    private static final int UTF8 = 1;
    private static final int LONG = 5;
    private static final int DOUBLE = 6;
    /** Bytes of an entry behind its tag; 0 for tags that there are not. */
    private static final int[] SIZES = {0, 0, 0, 4, 4, 8, 8, 2, 2, 4, 4, 4, 4, 0, 0, 3, 2, 4, 4, 2, 2};

    private ConstantPool() {}

    /**
     * Whether one of {@code texts}, in ASCII, is among the constants of a class file.
     *
     * @throws IllegalArgumentException when it is no class file
     */
    static boolean mentions(byte[] file, String... texts) {
        try {
            if (int32(file, 0) != MAGIC) {
                throw new IllegalArgumentException("no class file");
            }
            int at = COUNT_AT + 2;
            for (int entry = 1; entry < int16(file, COUNT_AT); entry++) {
                int tag = file[at++] & 0xFF;
                if (tag == UTF8) {
                    int length = int16(file, at);
                    at += 2;
                    if (isOne(file, at, length, texts)) {
                        return true;
                    }
                    at += length;
                } else if (tag < SIZES.length && SIZES[tag] > 0) {
                    at += SIZES[tag];
                    entry += tag == LONG || tag == DOUBLE ? 1 : 0; // these take two places
                } else {
                    throw new IllegalArgumentException("no constant has the tag " + tag);
                }
            }
            return false;
        } catch (ArrayIndexOutOfBoundsException short_) {
            throw new IllegalArgumentException("a class file that ends early", short_);
        }
    }

    private static boolean isOne(byte[] file, int at, int length, String[] texts) {
        for (String text : texts) {
            if (text.length() == length
                    && file[at] == text.charAt(0)
                    && text.equals(new String(file, at, length, StandardCharsets.ISO_8859_1))) {
                return true;
            }
        }
        return false;
    }

    private static int int16(byte[] file, int at) {
        return (file[at] & 0xFF) << 8 | file[at + 1] & 0xFF;
    }

    private static int int32(byte[] file, int at) {
        return int16(file, at) << 16 | int16(file, at + 2);
    }
}
