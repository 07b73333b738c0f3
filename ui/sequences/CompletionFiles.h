// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The files of CompletionPage: the input image, and the row of completions.

#include <QString>

#include <functional>
#include <string>

#include "core/base/Result.h"

class QWidget;

namespace headlight {

struct CompletedImage;

/// Shows the file dialog over `page`; `take` receives the chosen path.
void askForImageToComplete(QWidget* page, const std::function<void(const QString& path)>& take);
/// `imageName`: name of the completed image.
void askWhereToSaveCompletion(QWidget* page, const QString& imageName,
                              const std::function<void(const QString& path)>& take);

/// Writes the original, the kept rows and the completions as one enlarged PNG. Errors: those of
/// writing.
Result<void> writeCompletion(const CompletedImage& image, const std::string& path);

}  // namespace headlight
