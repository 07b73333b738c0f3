// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// TensorBoard's file of a run: records of a length, the event's bytes, and a masked CRC-32C of
// either (TensorFlow, tsl/lib/io/record_writer.h). Each process that writes a run has a file of its
// own, whose name sorts behind those before it.

#include <string>
#include <string_view>

#include "core/base/files/OpenFolder.h"

namespace headlight {

/// Length (8 bytes, little-endian), checksum of the length, the bytes, their checksum.
std::string eventRecord(std::string_view event);

/// "events.out.tfevents.SECONDS.HOST", in which the seconds are the clock's, or one more than the
/// newest that lies in `folder`.
std::string freshEventFileName(const OpenFolder& folder);

class EventFile {
 public:
  /// Nothing is made before the first event. `beginning`: the records that come before it.
  EventFile(OpenFolder folder, std::string beginning)
      : m_folder(std::move(folder)), m_beginning(std::move(beginning)) {}

  /// Adds an event. On an error the file still ends in a whole record, and this event is lost.
  Result<void> append(std::string_view event);

 private:
  Result<void> open();

  OpenFolder m_folder;
  std::string m_beginning;  ///< until it is written
  std::string m_name;
  FileDescriptor m_file;
};

}  // namespace headlight
