// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/ConfigText.h"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/base/ForeignContent.h"
#include "core/base/Translation.h"
#include "core/config/JsonBuilder.h"

namespace headlight {
namespace {

constexpr std::size_t kMaxConfigValues = 2'000'000;

/// The keys of one object. Most objects have a few.
class SeenKeys {
 public:
  /// False where it is there already.
  bool add(const std::string& key) {
    if (m_many.empty()) {
      if (std::find(m_few.begin(), m_few.end(), key) != m_few.end()) return false;
      m_few.push_back(key);
      if (m_few.size() > kFew) m_many.insert(m_few.begin(), m_few.end());
      return true;
    }
    return m_many.insert(key).second;
  }
  std::size_t size() const { return m_many.empty() ? m_few.size() : m_many.size(); }

 private:
  static constexpr std::size_t kFew = 24;
  std::vector<std::string> m_few;
  std::unordered_set<std::string> m_many;
};

enum class Keys { Once, Any };  ///< Any: who follows the events looks after them

/// Follows the parser's events before anything is built of them. (The library's parser with a
/// callback takes quadratic time for a list of objects.)
class JsonWatch : public JsonEvents {
 public:
  JsonWatch(const std::string& name, const JsonLimits& limits, Keys keys, JsonEvents& next)
      : m_name(name), m_limits(limits), m_keys(keys), m_next(next) {}

  bool null() override { return begin() && m_next.null(); }
  bool boolean(bool value) override { return begin() && m_next.boolean(value); }
  bool number_integer(number_integer_t value) override {
    return begin() && m_next.number_integer(value);
  }
  bool number_unsigned(number_unsigned_t value) override {
    return begin() && m_next.number_unsigned(value);
  }
  bool number_float(number_float_t value, const string_t& text) override {
    return begin() && m_next.number_float(value, text);
  }
  bool string(string_t& value) override { return begin() && m_next.string(value); }
  bool binary(binary_t& value) override { return begin() && m_next.binary(value); }
  bool start_object(std::size_t size) override { return open(false) && m_next.start_object(size); }
  bool start_array(std::size_t size) override { return open(true) && m_next.start_array(size); }
  bool end_object() override { return close() && m_next.end_object(); }
  bool end_array() override { return close() && m_next.end_array(); }

  bool key(string_t& key) override {
    Level& level = m_open.back();
    level.key = key;
    if (m_keys == Keys::Once && !level.seen.add(key))
      refuse(tr("has the key ") + path() + tr(" twice; remove one of them"));
    if (level.seen.size() > m_limits.keys)
      refuse(tr("has more than ") + std::to_string(m_limits.keys) + tr(" keys in addition to ") +
             path() + tr(", the limit for one object"));
    return m_next.key(key);
  }

  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::detail::exception& exception) override {
    return m_next.parse_error(position, token, exception);
  }

 private:
  struct Level {
    bool list = false;
    std::size_t items = 0;  ///< begun so far
    std::string key;        ///< the last one
    SeenKeys seen;
  };

  bool begin() {
    if (++m_values > m_limits.values)
      refuse(tr("holds more than ") + std::to_string(m_limits.values / 1'000'000) +
             tr(" million values"));
    if (!m_open.empty()) ++m_open.back().items;
    return true;
  }

  bool open(bool list) {
    begin();
    if (m_open.size() >= kMaxJsonDepth)
      refuse(tr("is nested more than ") + std::to_string(kMaxJsonDepth) + tr(" levels deep"));
    m_open.push_back({list, 0, {}, {}});
    return true;
  }

  bool close() {
    m_open.pop_back();
    return true;
  }

  /// "model.width", "variants[2].changes".
  std::string path() const {
    std::string text;
    for (const Level& level : m_open)
      text += level.list ? "[" + std::to_string(level.items - 1) + "]"
                         : (text.empty() ? "" : ".") + level.key;
    return text;
  }

  [[noreturn]] void refuse(const std::string& message) const {
    throw Failure({ErrorCode::InvalidConfig, message, m_name});
  }

  const std::string& m_name;
  const JsonLimits& m_limits;
  Keys m_keys;
  JsonEvents& m_next;
  std::vector<Level> m_open;
  std::size_t m_values = 0;
};

void follow(std::string_view text, const std::string& name, const JsonLimits& limits, Keys keys,
            JsonEvents& events) {
  JsonWatch watch(name, limits, keys, events);
  Json::sax_parse(text.begin(), text.end(), &watch);
}

Json parsed(std::string_view text, const std::string& name, const JsonLimits& limits) {
  JsonBuilder builder;
  follow(text, name, limits, Keys::Once, builder);
  return builder.take();
}

}  // namespace

Result<Json> parseConfigJson(std::string_view text, const std::string& name, std::size_t maxBytes,
                             std::size_t maxKeys) {
  if (text.size() > maxBytes)
    return Error{ErrorCode::InvalidConfig,
                 tr("is larger than ") + std::to_string(maxBytes >> 20) +
                     tr(" MB, the limit for this kind of file"),
                 name};
  try {
    return parsed(text, name, {maxBytes, maxKeys, kMaxConfigValues});
  } catch (const Failure& failure) {
    const std::string other = foreignContent(text);
    return Error{failure.error().code, other.empty() ? failure.error().message : other, name};
  } catch (const Json::exception& exception) {
    return Error{ErrorCode::InvalidConfig, tr("is not valid JSON: ") + failureMessage(exception),
                 name};
  }
}

Json jsonOrDiscarded(std::string_view text, const JsonLimits& limits) {
  if (text.size() > limits.bytes) return Json::value_t::discarded;
  try {
    return parsed(text, "", limits);
  } catch (const Failure&) {
    return Json::value_t::discarded;
  } catch (const Json::exception&) {
    return Json::value_t::discarded;
  }
}

void followJson(std::string_view text, const std::string& name, const JsonLimits& limits,
                JsonEvents& events) {
  follow(text, name, limits, Keys::Any, events);
}

}  // namespace headlight
