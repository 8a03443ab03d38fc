package dev.pacecar.agent.calls;

import java.io.InputStream;
import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Puts the counting into methods of drivers and clients while their classes are loaded.
 *
 * <p>A class that cannot be instrumented stays as it is, and is counted. No other class is ever loaded or looked at for
 * it: what a method belongs to is asked when it runs.
 */
final class Instrumenter implements ClassFileTransformer {
    private static final String OWN = "dev/pacecar/agent/";
    /** Of the JDK only its HTTP clients; it has no driver. */
    private static final String[] JDK_CLIENTS = {"jdk/internal/net/http/", "sun/net/www/protocol/http/"};

    private static final String[] JDK = {"java/", "javax/", "jdk/", "sun/", "com/sun/"};

    private final String bridge;
    private final AtomicLong failed = new AtomicLong();

    /**
     * @param bridge internal name of the class that instrumented methods call, see {@link Bridge}
     */
    Instrumenter(String bridge) {
        this.bridge = bridge;
    }

    /** How many classes should have been instrumented, and could not. */
    long failed() {
        return failed.get();
    }

    /** Does all of it once, so that what it takes is loaded before the service's classes are. */
    void rehearse() throws Exception {
        try (InputStream file = Kind.class.getResourceAsStream("Rehearsal.class")) {
            if (instrumented(file.readAllBytes()) == null) {
                throw new IllegalStateException("nothing was instrumented");
            }
        }
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] file) {
        if (redefined != null || name == null || !isWorthLooking(loader, name)) {
            return null;
        }
        try {
            return Senders.knows(name) || ConstantPool.mentions(file, Kind.NAMES) ? instrumented(file) : null;
        } catch (Throwable unable) {
            failed.incrementAndGet();
            return null;
        }
    }

    private static boolean isWorthLooking(ClassLoader loader, String name) {
        if (begins(name, JDK_CLIENTS)) {
            return true;
        }
        return loader != null && !name.startsWith(OWN) && !begins(name, JDK);
    }

    private static boolean begins(String name, String[] prefixes) {
        for (String prefix : prefixes) {
            if (name.startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }

    /** The class with its calls counted; null where it makes none. */
    private byte[] instrumented(byte[] file) {
        ClassReader reader = new ClassReader(file);
        Map<String, Integer> found = new HashMap<>();
        reader.accept(new Finder(reader.getClassName(), found), ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        if (found.isEmpty()) {
            return null;
        }
        // Untouched methods are copied as they are, and nothing is computed that would take other classes.
        ClassWriter writer = new ClassWriter(reader, 0);
        reader.accept(new Adder(writer, found), ClassReader.EXPAND_FRAMES);
        return writer.toByteArray();
    }

    /** What a method of this class is, see {@link Kind} and {@link Senders}; null where it is no call. */
    private static String what(int access, String type, String method, String descriptor) {
        if (((access & Opcodes.ACC_STATIC) != 0) != Senders.isStatic(type)) {
            return null;
        }
        return Senders.knows(type) ? Senders.of(type, method, descriptor) : Kind.of(method, descriptor);
    }

    /** Finds the methods that are calls, and how many local variables each has. */
    private static final class Finder extends ClassVisitor {
        private final String type;
        private final Map<String, Integer> found;

        Finder(String type, Map<String, Integer> found) {
            super(Opcodes.ASM9);
            this.type = type;
            this.found = found;
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] exceptions) {
            if (what(access, type, name, descriptor) == null) {
                return null;
            }
            return new MethodVisitor(Opcodes.ASM9) {
                @Override
                public void visitMaxs(int maxStack, int maxLocals) { // only of methods with code
                    found.put(name + descriptor, maxLocals);
                }
            };
        }
    }

    private final class Adder extends ClassVisitor {
        private final Map<String, Integer> locals;
        private boolean framed;
        private String type;

        Adder(ClassVisitor next, Map<String, Integer> locals) {
            super(Opcodes.ASM9, next);
            this.locals = locals;
        }

        @Override
        public void visit(
                int version, int access, String name, String signature, String superName, String[] interfaces) {
            type = name;
            framed = (version & 0xFFFF) >= Opcodes.V1_6;
            super.visit(version, access, name, signature, superName, interfaces);
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] exceptions) {
            MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
            Integer local = locals.get(name + descriptor);
            return local == null
                    ? next
                    : new CountedMethod(next, bridge, what(access, type, name, descriptor), local, framed);
        }
    }
}
