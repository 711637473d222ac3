/** Files that commands send and receive, mapped into memory: a new one without a name until it is whole, its room on the disk, a checksum. */
package org.panamaverbs.tools.files;
