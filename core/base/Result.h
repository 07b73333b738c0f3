// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Errors as values. Public doors of core return Result<T>; exceptions stay inside core.

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace headlight {

enum class ErrorCode {
  InvalidArgument,  ///< the caller asked for something that makes no sense
  InvalidConfig,    ///< a config file, flag or form value; `where` is the JSON path
  InvalidFile,      ///< a file that is damaged, or lies about itself
  UnsupportedFile,  ///< a file of a kind that is not read here
  NotFound,
  Io,        ///< the system refused: no space, no permission, the folder vanished
  Busy,      ///< somebody else holds it (a run folder)
  Canceled,  ///< the caller asked to stop
  Internal,
};

/// What went wrong (`message`: what was wrong and what to do), and `where` (a file, a JSON path, a
/// tensor name; may be empty).
struct Error {
  ErrorCode code = ErrorCode::Internal;
  std::string message;
  std::string where;

  /// "where: message", or the message alone.
  std::string text() const;
};

/// Thrown inside core where returning a Result at every level would hide the mathematics; caught by
/// `guarded` at public doors.
class Failure : public std::runtime_error {
 public:
  explicit Failure(Error error);
  Failure(const Failure& other);
  Failure& operator=(const Failure& other);
  ~Failure() override;
  const Error& error() const { return m_error; }

 private:
  Error m_error;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return m_state.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& value() & { return std::get<0>(m_state); }
  const T& value() const& { return std::get<0>(m_state); }
  T&& value() && { return std::get<0>(std::move(m_state)); }
  const Error& error() const { return std::get<1>(m_state); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::variant<T, Error> m_state;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : m_error(std::move(error)) {}

  bool ok() const { return !m_error.has_value(); }
  explicit operator bool() const { return ok(); }
  const Error& error() const { return *m_error; }

 private:
  std::optional<Error> m_error;
};

/// The value, or a Failure that `guarded` turns back into the same error.
template <typename T>
T valueOrThrow(Result<T> result) {
  if (!result) throw Failure(result.error());
  if constexpr (!std::is_void_v<T>) return std::move(result).value();
}

/// Result<T> for T; Result<T> for Result<T>.
template <typename T>
struct AsResult {
  using type = Result<T>;
};
template <typename T>
struct AsResult<Result<T>> {
  using type = Result<T>;
};

/// What an exception says, without the call stack that LibTorch appends to its own.
std::string failureMessage(const std::exception& exception);

/// Runs `body`, which returns Result<T> or T, and turns every exception into an Error.
template <typename Body>
auto guarded(const std::string& where, Body&& body) {
  using Returned = decltype(body());
  using Outcome = typename AsResult<Returned>::type;
  try {
    if constexpr (std::is_void_v<Returned>) {
      body();
      return Outcome();
    } else {
      return Outcome(body());
    }
  } catch (const Failure& failure) {
    return Outcome(failure.error());
  } catch (const std::bad_alloc&) {
    return Outcome(Error{ErrorCode::Internal, "not enough memory for this", where});
  } catch (const std::exception& exception) {
    return Outcome(Error{ErrorCode::Internal, failureMessage(exception), where});
  }
}

}  // namespace headlight
