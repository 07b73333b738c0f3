#include "core/config/ConfigText.h"

#include <unordered_set>
#include <vector>

namespace headlight {
namespace {

constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxValues = 2'000'000;

/// Follows the parser's events before anything is built. (The library's parser with a callback
/// takes quadratic time for a list of objects.)
class JsonWatch : public nlohmann::json_sax<Json> {
 public:
  JsonWatch(const std::string& name, std::size_t maxKeys) : m_name(name), m_maxKeys(maxKeys) {}

  bool null() override { return begin(); }
  bool boolean(bool) override { return begin(); }
  bool number_integer(number_integer_t) override { return begin(); }
  bool number_unsigned(number_unsigned_t) override { return begin(); }
  bool number_float(number_float_t, const string_t&) override { return begin(); }
  bool string(string_t&) override { return begin(); }
  bool binary(binary_t&) override { return begin(); }
  bool start_object(std::size_t) override { return open(false); }
  bool start_array(std::size_t) override { return open(true); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& key) override {
    m_open.back().key = key;
    if (!m_open.back().seen.insert(key).second)
      refuse("has the key " + path() + " twice; remove one of them");
    if (m_open.back().seen.size() > m_maxKeys)
      refuse("has more than " + std::to_string(m_maxKeys) + " keys beside " + path() +
             ", the most of one object");
    return true;
  }

  bool parse_error(std::size_t, const std::string&,
                   const nlohmann::detail::exception& exception) override {
    refuse("is not JSON: " + messageOf(exception));
  }

 private:
  struct Level {
    bool list = false;
    std::size_t items = 0;  ///< begun so far
    std::string key;        ///< the last one
    std::unordered_set<std::string> seen;
  };

  bool begin() {
    if (++m_values > kMaxValues) refuse("holds more than 2 million values");
    if (!m_open.empty()) ++m_open.back().items;
    return true;
  }

  bool open(bool list) {
    begin();
    if (m_open.size() >= kMaxDepth) refuse("is nested more than 64 levels deep");
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
  std::size_t m_maxKeys;
  std::vector<Level> m_open;
  std::size_t m_values = 0;
};

}  // namespace

Result<Json> parseConfigJson(std::string_view text, const std::string& name, std::size_t maxBytes,
                             std::size_t maxKeys) {
  if (text.size() > maxBytes)
    return Error{ErrorCode::InvalidConfig,
                 "is larger than " + std::to_string(maxBytes >> 20) +
                     " MB; what is read here is a few kilobytes",
                 name};
  try {
    JsonWatch watch(name, maxKeys);
    Json::sax_parse(text.begin(), text.end(), &watch);
    return Json::parse(text.begin(), text.end());
  } catch (const Failure& failure) {
    return failure.error();
  } catch (const Json::exception& exception) {
    return Error{ErrorCode::InvalidConfig, "is not JSON: " + messageOf(exception), name};
  }
}

}  // namespace headlight
