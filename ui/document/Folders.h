#pragma once
// Where dialogs that ask for a file begin.

#include <QString>

namespace headlight {

class Document;

/// The person's documents.
QString documentsFolder();
/// The folder of the picture that is open, or the person's documents.
QString pictureFolder(const Document& document);

}  // namespace headlight
