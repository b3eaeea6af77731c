#pragma once

#include <vector>

namespace holo::store {

class Database;

enum class SchemaState { Current, Upgraded, Newer };

// SQL of the numbered files below resources/schema, in order; revision n is the n-th.
const std::vector<const char*>& schemaRevisions();

// Brings the database to the newest revision, each step in one exclusive transaction with the version inside. A database written by a
// newer program is left alone. Any number of processes may do this at once.
SchemaState upgradeSchema(Database& database);

}  // namespace holo::store
