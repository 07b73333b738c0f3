// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/training/UnusedFolder.h"

#include <cstdlib>
#include <filesystem>

#include "core/base/Result.h"
#include "core/base/Translation.h"

namespace headlight {

UnusedFolder::UnusedFolder()
    : m_path((std::filesystem::temp_directory_path() / "headlight-XXXXXX").string()) {
  if (!::mkdtemp(m_path.data()))
    throw Failure({ErrorCode::Io,
                   tr("no folder can be created there; set TMPDIR to another folder"), m_path});
}

UnusedFolder::~UnusedFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(m_path, ignored);
}

}  // namespace headlight
