// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A file that lies there while the program restores what it remembers. Where a start finds it and
// nobody holds it, the previous start failed.

#include <QString>

#include <utility>

#include "core/base/files/FileDescriptor.h"

namespace headlight {

class StartMark {
 public:
  /// Empty: nothing is marked.
  explicit StartMark(QString path) : m_path(std::move(path)) {}
  /// A program that ends normally has started normally.
  ~StartMark() { end(); }
  StartMark(const StartMark&) = delete;
  StartMark& operator=(const StartMark&) = delete;

  /// False where the last start did not reach end(). Another program that starts at the same time
  /// is none, and where nothing can be written, nothing is known.
  bool begin();
  void end();

 private:
  QString m_path;
  FileDescriptor m_file;  ///< locked
};

}  // namespace headlight
