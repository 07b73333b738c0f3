// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/boxes/JsonRecords.h"

#include <algorithm>
#include <limits>

#include "core/base/ForeignContent.h"
#include "core/base/Translation.h"
#include "core/config/ConfigText.h"

namespace headlight {
namespace {

using ValueKind = RecordValue::Kind;

/// The parser's events as records. Levels: the file's object (unless it is a list), a list, a
/// record, and what is in a record's values.
class RecordEvents : public JsonEvents {
 public:
  RecordEvents(const std::vector<RecordList>& lists, const std::string& wrongRoot)
      : m_lists(lists),
        m_wrongRoot(wrongRoot),
        m_listDepth(lists.front().name.empty() ? 0 : 1),
        m_seen(lists.size()) {}

  bool null() override { return scalar(ValueKind::Null, 0, 0); }
  bool boolean(bool value) override { return scalar(ValueKind::Boolean, value, value); }
  bool number_integer(number_integer_t value) override {
    return scalar(ValueKind::Whole, value, static_cast<double>(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    const bool fits = value <= std::uint64_t{std::numeric_limits<std::int64_t>::max()};
    return scalar(fits ? ValueKind::Whole : ValueKind::Fraction,
                  fits ? static_cast<std::int64_t>(value) : 0, static_cast<double>(value));
  }
  bool number_float(number_float_t value, const string_t&) override {
    return scalar(ValueKind::Fraction, 0, value);
  }
  bool string(string_t& value) override {
    if (inRecord() && m_value) m_value->text = std::move(value);
    return scalar(ValueKind::Text, 0, 0);
  }
  bool binary(binary_t&) override { return false; }  // JSON has none
  bool start_object(std::size_t) override { return open(true); }
  bool start_array(std::size_t) override { return open(false); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& key) override {
    if (m_depth == m_listDepth) chooseList(key);
    if (inRecord()) chooseValue(key);
    return true;
  }

  bool parse_error(std::size_t, const std::string& token,
                   const nlohmann::detail::exception& exception) override {
    // The token may have what stands before the word.
    const bool named = token.ends_with("N") || token.ends_with("I");
    throw invalid(named ? tr("has NaN or Infinity (or another word that JSON does not have) for a "
                             "number; write finite numbers, or leave the record out")
                        : tr("is not valid JSON: ") + failureMessage(exception));
  }

  void requireAll() const {
    for (std::size_t i = 0; i < m_lists.size(); ++i)
      if (!m_seen[i])
        throw invalid(tr("has no list \"") + m_lists[i].name + "\"" + tr("; ") + m_wrongRoot);
  }

 private:
  static Failure invalid(const std::string& message) {
    return Failure({ErrorCode::InvalidFile, message, ""});
  }
  bool inRecord() const { return m_list != nullptr && m_depth == m_listDepth + 2; }
  bool inValue() const { return m_list != nullptr && m_depth == m_listDepth + 3; }
  std::size_t indexOf(const RecordList* list) const {
    return static_cast<std::size_t>(list - m_lists.data());
  }

  void chooseList(const std::string& key) {
    const auto found = std::find_if(m_lists.begin(), m_lists.end(),
                                    [&](const RecordList& list) { return list.name == key; });
    m_list = found == m_lists.end() ? nullptr : &*found;
    if (m_list && m_seen[indexOf(m_list)])
      throw invalid(tr("has the list \"") + key + tr("\" twice; remove one of them"));
  }

  void chooseValue(const std::string& key) {
    const auto& keys = m_list->keys;
    const auto found = std::find(keys.begin(), keys.end(), key);
    m_value = found == keys.end()
                  ? nullptr
                  : &m_record.values[static_cast<std::size_t>(found - keys.begin())];
    if (m_value && m_value->kind != ValueKind::Missing)
      throw invalid(m_record.name() + tr(" has the key \"") + key +
                    tr("\" twice; remove one of them"));
  }

  bool scalar(ValueKind kind, std::int64_t whole, double number) {
    if (m_depth <= m_listDepth + 1) requireContainer(false);
    if (inRecord() && m_value) {
      m_value->kind = kind;
      m_value->whole = whole;
      m_value->number = number;
    }
    if (inValue() && m_value) addNumber(kind, number);
    return true;
  }

  /// To the list of numbers that is open.
  void addNumber(ValueKind kind, double number) {
    if (kind != ValueKind::Whole && kind != ValueKind::Fraction) m_value->kind = ValueKind::Other;
    ++m_value->count;
    if (m_value->numbers.size() < RecordValue::kMostNumbers) m_value->numbers.push_back(number);
  }

  bool open(bool object) {
    if (m_depth <= m_listDepth + 1) requireContainer(true, object);
    if (inRecord() && m_value) m_value->kind = object ? ValueKind::Other : ValueKind::Numbers;
    if (inValue() && m_value) m_value->kind = ValueKind::Other;
    ++m_depth;
    if (m_depth == m_listDepth + 1) beginList();
    if (inRecord()) beginRecord();
    return true;
  }

  /// What stands where the file's object, a list or a record has to stand.
  void requireContainer(bool container, bool object = false) const {
    if (m_depth == 0 && !(container && object == (m_listDepth == 1))) throw invalid(m_wrongRoot);
    if (m_list == nullptr || m_depth < m_listDepth) return;
    if (m_depth == m_listDepth && !(container && !object))
      throw invalid("\"" + m_list->name + tr("\" is not a list; write it as a list of records"));
    if (m_depth == m_listDepth + 1 && !(container && object))
      throw invalid(JsonRecord{m_list->name, m_place, {}}.name() +
                    tr(" is not a record; write it as an object with ") + m_list->keys.front());
  }

  void beginList() {
    if (m_listDepth == 0) m_list = &m_lists.front();
    if (m_list) m_seen[indexOf(m_list)] = true;
    m_place = 0;
  }

  void beginRecord() {
    m_record = {m_list->name, m_place++, std::vector<RecordValue>(m_list->keys.size())};
    m_value = nullptr;
  }

  bool close() {
    if (inRecord()) m_list->take(m_record);
    --m_depth;
    if (m_depth == m_listDepth) m_list = nullptr;
    return true;
  }

  const std::vector<RecordList>& m_lists;
  const std::string& m_wrongRoot;
  std::size_t m_listDepth, m_depth = 0, m_place = 0;  ///< depth: how many are open
  std::vector<bool> m_seen;
  const RecordList* m_list = nullptr;  ///< that is read; null: passed over
  JsonRecord m_record;
  RecordValue* m_value = nullptr;  ///< of the last key; null: not wanted
};

}  // namespace

std::string JsonRecord::name() const {
  return list + "[" + std::to_string(place) + "]";
}

void readRecords(std::string_view text, const std::string& where,
                 const std::vector<RecordList>& lists, const std::string& wrongRoot) {
  constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();
  try {
    RecordEvents events(lists, wrongRoot);
    followJson(text, where, {kAny, kAny, kAny}, events);
    events.requireAll();
  } catch (const Failure& failure) {
    const std::string other = foreignContent(text.substr(0, 512));
    throw Failure({ErrorCode::InvalidFile, other.empty() ? failure.error().message : other, where});
  }
}

}  // namespace headlight
