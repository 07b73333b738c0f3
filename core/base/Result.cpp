#include "core/base/Result.h"

namespace headlight {

std::string Error::text() const {
  return where.empty() ? message : where + ": " + message;
}

Failure::Failure(Error error) : std::runtime_error(error.text()), m_error(std::move(error)) {}

Failure::Failure(const Failure& other) = default;
Failure& Failure::operator=(const Failure& other) = default;
Failure::~Failure() = default;

std::string messageOf(const std::exception& exception) {
  const std::string text = exception.what();
  return text.substr(0, text.find("\nException raised from"));
}

}  // namespace headlight
