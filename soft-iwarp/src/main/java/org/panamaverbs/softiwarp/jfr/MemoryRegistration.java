package org.panamaverbs.softiwarp.jfr;

import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;

/** Memory was registered. */
@Name("panamaverbs.MemoryRegistration")
@Label("Memory Registration")
@Registered
final class MemoryRegistration extends MemoryEvent {
}
