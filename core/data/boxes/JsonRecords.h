// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Tables in JSON, as COCO has them: lists of records (objects) that are read one at a time, so that
// of a file of a million records only what is wanted of each is kept.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace headlight {

/// A value of a record. What is nested deeper than a list of numbers is not kept (Other).
struct RecordValue {
  enum class Kind { Missing, Null, Boolean, Whole, Fraction, Text, Numbers, Other };
  /// Of a list of numbers no more are kept.
  static constexpr std::size_t kMostNumbers = 8;

  Kind kind = Kind::Missing;
  std::int64_t whole = 0;  ///< of Boolean (0, 1) and Whole
  double number = 0;       ///< of Whole and Fraction
  std::string text;
  std::vector<double> numbers;
  std::size_t count = 0;  ///< of a list of numbers: how many there are

  bool missing() const { return kind == Kind::Missing || kind == Kind::Null; }
};

/// A record, with the values that were asked for, in that order.
struct JsonRecord {
  std::string list;       ///< "annotations"; empty where the file is one list
  std::size_t place = 0;  ///< in its list, from 0
  std::vector<RecordValue> values;

  /// "annotations[12]", "[12]".
  std::string name() const;
};

/// A list that is read.
struct RecordList {
  std::string name;  ///< its key in the file's object; empty: the file is this list
  std::vector<std::string> keys;
  std::function<void(const JsonRecord& record)> take;
};

/// Hands every record of `lists` to its `take`. Other lists and other values are passed over.
/// `wrongRoot`: what to say of a file that is a list where an object is wanted, or the reverse.
/// Throws Failure (InvalidFile, in `where`): no JSON, NaN among it, nested too deep; a wanted list
/// that is missing, no list or there twice; a record that is no object or has a wanted key twice;
/// and what `take` throws.
void readRecords(std::string_view text, const std::string& where,
                 const std::vector<RecordList>& lists, const std::string& wrongRoot);

}  // namespace headlight
