#include "core/config/ConfigText.h"

namespace headlight {
namespace {

constexpr std::size_t kMaxBytes = 16u << 20;
constexpr int kMaxDepth = 64;

}  // namespace

Result<Json> parseConfigJson(std::string_view text, const std::string& name) {
  const auto invalid = [&](const std::string& message) {
    return Error{ErrorCode::InvalidConfig, message, name};
  };
  if (text.size() > kMaxBytes) return invalid("is larger than 16 MB; a config is a few kilobytes");
  const auto watchDepth = [&](int depth, Json::parse_event_t, Json&) {
    if (depth > kMaxDepth) throw Failure(invalid("is nested more than 64 levels deep"));
    return true;
  };
  try {
    return Json::parse(text.begin(), text.end(), watchDepth);
  } catch (const Failure& failure) {
    return failure.error();
  } catch (const Json::exception& exception) {
    return invalid(std::string("is not JSON: ") + exception.what());
  }
}

}  // namespace headlight
