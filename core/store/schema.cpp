#include "core/store/schema.h"

#include <string>

#include "core/store/database.h"

namespace holo::store {

namespace {

std::size_t versionOf(Database& database)
{
    Statement query(database, "PRAGMA user_version");
    query.step();
    return static_cast<std::size_t>(query.integer(0));
}

}  // namespace

SchemaState upgradeSchema(Database& database)
{
    const auto& revisions = schemaRevisions();
    SchemaState state = SchemaState::Current;
    for (;;) {
        std::size_t version = versionOf(database);
        if (version > revisions.size())
            return SchemaState::Newer;
        if (version == revisions.size())
            return state;
        Transaction transaction(database);
        version = versionOf(database);  // another process may have been faster
        if (version < revisions.size()) {
            database.execute(revisions[version]);
            database.execute("PRAGMA user_version = " + std::to_string(version + 1));
            state = SchemaState::Upgraded;
        }
        transaction.commit();
    }
}

}  // namespace holo::store
