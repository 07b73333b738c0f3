// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The folders in which file dialogs start.

#include <QString>

namespace headlight {

class Document;

/// The person's documents.
QString documentsFolder();
/// The person's images, or documents.
QString userImagesFolder();
/// Where figures and plots were saved last, or the person's images.
QString figureFolder();
QString lastFigureFolder();  ///< empty: none was saved yet
/// `path`: of a file that was saved there, or the folder itself.
void rememberFigureFolder(const QString& path);
/// The same after an attempt to write that file: where it is not there, nobody wants to be led to
/// its folder again.
void rememberWritten(const QString& path);
/// The folder of the image that is open, or the person's documents.
QString imageFolder(const Document& document);

}  // namespace headlight
