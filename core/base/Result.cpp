#include "core/base/Result.h"

#include <filesystem>

#include "core/base/Utf8.h"

namespace headlight {

std::string Error::text() const {
  return fitForLine(where.empty() ? message : where + ": " + message);
}

Failure::Failure(Error error) : std::runtime_error(error.text()), m_error(std::move(error)) {}

Failure::Failure(const Failure& other) = default;
Failure& Failure::operator=(const Failure& other) = default;
Failure::~Failure() = default;

std::string messageOf(const std::exception& exception) {
  if (const auto* refusal = dynamic_cast<const std::filesystem::filesystem_error*>(&exception))
    return "could not use " + refusal->path1().string() + ": " + refusal->code().message() +
           "; check that the path leads where it should";
  const std::string text = exception.what();
  return text.substr(0, text.find("\nException raised from"));
}

}  // namespace headlight
