// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Values of COCO's records, checked: what is wrong is said with the record and the key.

#include <cstdint>
#include <string>
#include <unordered_map>

#include "core/analysis/boxes/PixelBox.h"
#include "core/data/boxes/JsonRecords.h"

namespace headlight {

/// Throws Failure (InvalidFile, without a place): "annotations[3] (id 7): MESSAGE".
[[noreturn]] void refuseRecord(const JsonRecord& record, const std::string& message);

/// A whole number. Failure: another kind, or missing.
std::int64_t requireWhole(const JsonRecord& record, std::size_t key, const char* name);
/// Any number. Failure: another kind, or missing.
double requireNumber(const JsonRecord& record, std::size_t key, const char* name);
/// [x, y, width, height]. Failure: another kind (a mask among them), other than four numbers, a
/// negative size.
PixelBox requireBox(const JsonRecord& record, std::size_t key);
/// A whole number of pixels; 0 where it is missing or something else.
int pixelsOr0(const JsonRecord& record, std::size_t key);

/// Ids of records of one list, and which place each has.
class RecordIds {
 public:
  /// Failure: it is there already, which names both records.
  void add(std::int64_t id, const JsonRecord& record);

 private:
  std::unordered_map<std::int64_t, std::size_t> m_places;
};

/// Records that are left out: how many, and the first.
struct LeftOut {
  std::size_t count = 0;
  std::string first;

  void add(const std::string& record) {
    if (count++ == 0) first = record;
  }
};

}  // namespace headlight
