package dev.pacecar.agent.calls;

import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.Instrumentation;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.ObjIntConsumer;
import java.util.function.ToIntBiFunction;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * The class that instrumented methods call: it hands over to functions that it was given.
 *
 * <p>It lies in {@code java.lang}, since that is the one place that every class loader and every module sees: loaders of
 * plug-ins and application servers ask the bootstrap loader for nothing else. A jar behind the bootstrap class path would
 * be seen by fewer, and would switch class data sharing off. It is generated, because nothing compiles into that package.
 */
final class Bridge {
    static final String NAME = "java/lang/PacecarCalls";

    /** Compiled by itself, so that the day on which counting begins throws nothing away of what the service compiled. */
    private static final String APART = "Ljdk/internal/vm/annotation/DontInline;";

    private static final String DEFINER = "dev.pacecar.agent.calls.Definer";

    private Bridge() {}

    /**
     * Defines the class, and has it lead to these functions.
     *
     * @throws Exception when this JVM has one already, or lets nobody define one
     */
    static void lead(
            Instrumentation instrumentation,
            ToIntBiFunction<Object, Object> enter,
            IntConsumer exit,
            ObjIntConsumer<Object> batched)
            throws Exception {
        Function<byte[], Class<?>> definer = definer();
        // To a module of its own, and not to that of the class path: the service is to be refused what it always was.
        Set<Module> opened = Set.of(definer.getClass().getModule());
        Module base = Object.class.getModule();
        instrumentation.redefineModule(
                base, Set.of(), Map.of(), Map.of(Object.class.getPackageName(), opened), Set.of(), Map.of());
        Class<?> bridge = definer.apply(generated());
        bridge.getField("enter").set(null, enter);
        bridge.getField("exit").set(null, exit);
        bridge.getField("batched").set(null, batched);
    }

    @SuppressWarnings("unchecked")
    private static Function<byte[], Class<?>> definer() throws ReflectiveOperationException, IOException {
        byte[] file;
        try (InputStream stream = Bridge.class.getResourceAsStream("Definer.class")) {
            file = stream.readAllBytes();
        }
        ClassLoader alone = new ClassLoader(null) {
            @Override
            protected Class<?> findClass(String name) throws ClassNotFoundException {
                if (!name.equals(DEFINER)) {
                    throw new ClassNotFoundException(name);
                }
                return defineClass(name, file, 0, file.length);
            }
        };
        return (Function<byte[], Class<?>>)
                alone.loadClass(DEFINER).getConstructor().newInstance();
    }

    static byte[] generated() {
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        int access = Opcodes.ACC_PUBLIC | Opcodes.ACC_FINAL | Opcodes.ACC_SUPER | Opcodes.ACC_SYNTHETIC;
        writer.visit(Opcodes.V17, access, NAME, null, "java/lang/Object", null);
        method(writer, "enter", "(Ljava/lang/Object;Ljava/lang/String;)I", ToIntBiFunction.class);
        method(writer, "exit", "(I)V", IntConsumer.class);
        method(writer, "batched", "(Ljava/lang/Object;I)V", ObjIntConsumer.class);
        writer.visitEnd();
        return writer.toByteArray();
    }

    /** A static method that hands its arguments to the function in the field of its name. */
    private static void method(ClassWriter writer, String name, String descriptor, Class<?> function) {
        String type = function.getName().replace('.', '/');
        int shared = Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC;
        writer.visitField(shared, name, "L" + type + ";", null, null).visitEnd();
        // Instrumented methods call a batch's end by the same name as any other's.
        MethodVisitor method =
                writer.visitMethod(shared, name.equals("batched") ? "exit" : name, descriptor, null, null);
        method.visitAnnotation(APART, true).visitEnd();
        method.visitCode();
        method.visitFieldInsn(Opcodes.GETSTATIC, NAME, name, "L" + type + ";");
        boolean first = descriptor.startsWith("(L");
        method.visitVarInsn(first ? Opcodes.ALOAD : Opcodes.ILOAD, 0);
        if (name.equals("enter")) {
            method.visitVarInsn(Opcodes.ALOAD, 1);
            method.visitMethodInsn(
                    Opcodes.INVOKEINTERFACE, type, "applyAsInt", "(Ljava/lang/Object;Ljava/lang/Object;)I", true);
            method.visitInsn(Opcodes.IRETURN);
        } else {
            if (first) {
                method.visitVarInsn(Opcodes.ILOAD, 1);
            }
            method.visitMethodInsn(Opcodes.INVOKEINTERFACE, type, "accept", descriptor, true);
            method.visitInsn(Opcodes.RETURN);
        }
        method.visitMaxs(0, 0);
        method.visitEnd();
    }
}
