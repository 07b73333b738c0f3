#include "core/config/ConfigText.h"

#include <functional>
#include <set>
#include <vector>

namespace headlight {
namespace {

constexpr int kMaxDepth = 64;

/// Follows the parser, so that it knows where it is and which keys it has seen there.
class KeyWatch {
 public:
  explicit KeyWatch(const std::string& name) : m_name(name) {}

  bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
    using Event = Json::parse_event_t;
    if (depth > kMaxDepth) refuse("is nested more than 64 levels deep");
    if (event == Event::key) {
      m_open.back().key = parsed.get_ref<const std::string&>();
      if (!m_open.back().seen.insert(m_open.back().key).second)
        refuse("has the key " + path() + " twice; remove one of them");
    } else if (event == Event::object_end || event == Event::array_end) {
      m_open.pop_back();
    } else {
      if (!m_open.empty()) ++m_open.back().items;
      if (event == Event::object_start) m_open.push_back({false, 0, {}, {}});
      if (event == Event::array_start) m_open.push_back({true, 0, {}, {}});
    }
    return true;
  }

 private:
  struct Level {
    bool list = false;
    std::size_t items = 0;  ///< begun so far
    std::string key;        ///< the last one
    std::set<std::string> seen;
  };

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
  std::vector<Level> m_open;
};

}  // namespace

Result<Json> parseConfigJson(std::string_view text, const std::string& name, std::size_t maxBytes) {
  const auto invalid = [&](const std::string& message) {
    return Error{ErrorCode::InvalidConfig, message, name};
  };
  if (text.size() > maxBytes)
    return invalid("is larger than " + std::to_string(maxBytes >> 20) +
                   " MB; what is read here is a few kilobytes");
  KeyWatch watch(name);
  try {
    return Json::parse(text.begin(), text.end(), std::ref(watch));
  } catch (const Failure& failure) {
    return failure.error();
  } catch (const Json::exception& exception) {
    return invalid(std::string("is not JSON: ") + exception.what());
  }
}

}  // namespace headlight
