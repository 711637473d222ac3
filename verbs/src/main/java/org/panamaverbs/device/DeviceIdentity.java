package org.panamaverbs.device;

/**
 * Which device it is, of all in the world.
 *
 * @param nodeIdentifier   its GUID, 64 bits; 0 if it has none
 * @param systemIdentifier the GUID of the system it is a part of, 64 bits; 0 if it has none
 * @param vendor           the vendor's number
 * @param part             the vendor's number for the part
 * @param revision         the part's revision
 */
public record DeviceIdentity(long nodeIdentifier, long systemIdentifier, int vendor, int part, int revision) {
}
