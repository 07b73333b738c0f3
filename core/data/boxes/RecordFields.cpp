// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/boxes/RecordFields.h"

#include "core/base/Result.h"
#include "core/base/Text.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

using Kind = RecordValue::Kind;

/// "an object or a nested list", "a text": what stands there instead.
std::string kindText(const RecordValue& value) {
  switch (value.kind) {
    case Kind::Missing:
      return tr("is missing");
    case Kind::Null:
      return tr("is null");
    case Kind::Boolean:
      return tr("is true or false");
    case Kind::Text:
      return tr("is a text");
    case Kind::Numbers:
      return tr("is a list of ") + std::to_string(value.count) + tr(" numbers");
    case Kind::Other:
      return tr("is an object or a nested list");
    default:
      return tr("is ") + numberText(value.number);
  }
}

bool isNumber(const RecordValue& value) {
  return value.kind == Kind::Whole || value.kind == Kind::Fraction;
}

}  // namespace

void refuseRecord(const JsonRecord& record, const std::string& message) {
  throw Failure({ErrorCode::InvalidFile, record.name() + ": " + message, ""});
}

std::int64_t requireWhole(const JsonRecord& record, std::size_t key, const char* name) {
  const RecordValue& value = record.values[key];
  if (value.kind != Kind::Whole)
    refuseRecord(
        record, std::string(name) + " " + kindText(value) + tr("; give a whole number below 2^63"));
  return value.whole;
}

double requireNumber(const JsonRecord& record, std::size_t key, const char* name) {
  const RecordValue& value = record.values[key];
  if (!isNumber(value))
    refuseRecord(record, std::string(name) + " " + kindText(value) + tr("; give a number"));
  return value.number;
}

PixelBox requireBox(const JsonRecord& record, std::size_t key) {
  const RecordValue& value = record.values[key];
  if (value.kind != Kind::Numbers || value.count != 4)
    refuseRecord(record, "bbox " + kindText(value) +
                             tr("; give [x, y, width, height] in pixels (masks are not read)"));
  const auto& sides = value.numbers;
  if (sides[2] < 0 || sides[3] < 0)
    refuseRecord(record, tr("bbox has the size ") + numberText(sides[2]) + " x " +
                             numberText(sides[3]) +
                             tr("; give [x, y, width, height] with sizes of 0 or more"));
  return {sides[0], sides[1], sides[2], sides[3]};
}

int pixelsOr0(const JsonRecord& record, std::size_t key) {
  const RecordValue& value = record.values[key];
  const bool fits = value.kind == Kind::Whole && value.whole > 0 && value.whole < 1'000'000'000;
  return fits ? static_cast<int>(value.whole) : 0;
}

void RecordIds::add(std::int64_t id, const JsonRecord& record) {
  const auto [known, isNew] = m_places.emplace(id, record.place);
  if (!isNew)
    refuseRecord(record, tr("has the id ") + std::to_string(id) + tr(", which ") +
                             JsonRecord{record.list, known->second, {}}.name() +
                             tr(" has already; give each its own"));
}

}  // namespace headlight
